#include "cluster/kept_places.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace berth::cluster {
namespace {

using model::PlanningPlace;
using model::Time;

constexpr Time kBegun{model::Duration{1'800'000'000}};
constexpr PlanningPlace kEnd{std::numeric_limits<std::int64_t>::max(), model::kForever};

model::KeptRoom Room(std::int32_t priority, Time created) {
  return {.gang = "ml/train",
          .resource = "nvidia.com/gpu",
          .devices = 8,
          .priority = priority,
          .created = created,
          .until = kBegun};
}

model::StringMap Annotations(const std::vector<model::KeptRoom>& rooms,
                             const std::string& name = "berth.dev/kept") {
  return {{name, model::KeptRoomsText(rooms)}};
}

TEST(KeptPlacesTest, TellTheLastPlaceThatDoesNotComeAfterAnother) {
  const model::KeptRoom high = Room(5, kBegun);
  const model::KeptRoom early = Room(0, kBegun);
  const model::KeptRoom late = Room(0, kBegun + model::Duration{9});
  KeptPlaces kept;
  EXPECT_EQ(kept.LastUpTo(kEnd), std::nullopt);
  kept.Add(Annotations({late, high}));
  kept.Add(Annotations({early}));
  EXPECT_EQ(kept.LastUpTo(kEnd), PlaceOf(late));
  EXPECT_EQ(kept.LastUpTo(PlaceOf(late)), PlaceOf(late));
  EXPECT_EQ(kept.LastUpTo(PlaceOf(Room(0, kBegun + model::Duration{8}))), PlaceOf(early));
  EXPECT_EQ(kept.LastUpTo(PlaceOf(Room(0, kBegun - model::Duration{1}))), PlaceOf(high));
  EXPECT_EQ(kept.LastUpTo(PlaceOf(Room(6, kBegun))), std::nullopt);
}

// Several nodes keep room for one gang, and one node for several.
TEST(KeptPlacesTest, KnowAPlaceAsLongAsAnyNodeHasIt) {
  const model::StringMap both = Annotations({Room(1, kBegun), Room(0, kBegun)});
  const model::StringMap one = Annotations({Room(0, kBegun)});
  KeptPlaces kept;
  kept.Add(both);
  kept.Add(one);
  kept.Remove(both);
  EXPECT_EQ(kept.LastUpTo(kEnd), PlaceOf(Room(0, kBegun)));
  EXPECT_EQ(kept.LastUpTo(PlaceOf(Room(1, kBegun))), std::nullopt);
  kept.Remove(one);
  EXPECT_EQ(kept.LastUpTo(kEnd), std::nullopt);
}

TEST(KeptPlacesTest, OtherAnnotationsKeepNothing) {
  KeptPlaces kept;
  for (const char* name : {"berth.dev/avoid", "kept", "berth.dev/unkept"}) {
    kept.Add(Annotations({Room(0, kBegun)}, name));
  }
  kept.Add({{"berth.dev/kept", "ml/train devices=many"}});
  EXPECT_EQ(kept.LastUpTo(kEnd), std::nullopt);
}

}  // namespace
}  // namespace berth::cluster
