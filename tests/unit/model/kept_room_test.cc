#include "model/kept_room.h"

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/pod.h"

namespace berth::model {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Time kNoon{Duration{1'769'860'800}};  // 2026-01-31T12:00:00Z
constexpr char kText[] =
    "ml/train resource=nvidia.com/gpu devices=8 priority=-5 created=2026-01-31T12:00:00Z "
    "ends-by=2026-01-31T13:00:00Z until=2026-01-31T12:10:00Z";

KeptRoom Train() {
  return {.gang = "ml/train",
          .resource = "nvidia.com/gpu",
          .devices = 8,
          .priority = -5,
          .created = kNoon,
          .ends_by = kNoon + std::chrono::hours(1),
          .until = kNoon + std::chrono::minutes(10)};
}

KeptRoom Of(std::string gang) {
  KeptRoom room = Train();
  room.gang = std::move(gang);
  return room;
}

std::string Replaced(std::string_view from, std::string_view to) {
  std::string text = kText;
  return text.replace(text.find(from), from.size(), to);
}

TEST(KeptRooms, ReadWhatWasWritten) {
  KeptRoom slices = Of("ml/Eval_2.b");
  slices.resource = "nvidia.com/mig-1g.5gb";
  const std::vector<KeptRoom> entries = {Train(), slices};
  EXPECT_EQ(KeptRoomsText({Train()}), kText);
  EXPECT_EQ(ParseKeptRooms(kText), std::vector{Train()});
  EXPECT_EQ(ParseKeptRooms(KeptRoomsText(entries)), entries);
  EXPECT_EQ(KeptRoomsText({}), "");
  EXPECT_THAT(ParseKeptRooms(""), IsEmpty());
}

TEST(KeptRooms, OrderAndBlanksDoNotMatterAndFieldsOfLaterVersionsDoNotEither) {
  EXPECT_THAT(ParseKeptRooms("  ml/train  until=2026-01-31T12:10:00Z model=A100 alone   devices=8 "
                             "created=2026-01-31T21:00:00+09:00 ends-by=2026-01-31T13:00:00Z "
                             "priority=-5 resource=nvidia.com/gpu ,"),
              ElementsAre(Train()));
}

TEST(KeptRooms, WhatCannotBeReadIsLeftOut) {
  for (const std::string& text : {Replaced("ml/train", "train"),
                                  Replaced("ml/train", "/train"),
                                  Replaced("ml/train", "ml/"),
                                  Replaced("ml/train", "a/b/c"),
                                  Replaced("ml/train", "ml/train=1"),
                                  Replaced("ml/train ", ""),
                                  Replaced("ml/train", "ml/" + std::string(254, 'x')),
                                  Replaced("resource=nvidia.com/gpu ", ""),
                                  Replaced("nvidia.com/gpu", ""),
                                  Replaced("nvidia.com/gpu", "nvidia.com/"),
                                  Replaced("nvidia.com/gpu", "/gpu"),
                                  Replaced("nvidia.com/gpu", "a/b/c"),
                                  Replaced("nvidia.com/gpu", "nvidia.com/gpu=1"),
                                  Replaced("devices=8 ", ""),
                                  Replaced("devices=8", "devices=0"),
                                  Replaced("devices=8", "devices=-8"),
                                  Replaced("devices=8", "devices=8x"),
                                  Replaced("devices=8", "devices="),
                                  Replaced("devices=8", "devices = 8"),
                                  Replaced("devices=8", "devices=9223372036854775808"),
                                  Replaced("priority=-5 ", ""),
                                  Replaced("priority=-5", "priority=2147483648"),
                                  Replaced("priority=-5", "priority=high"),
                                  Replaced("created=2026-01-31T12:00:00Z ", ""),
                                  Replaced("created=2026", "created=x"),
                                  Replaced("ends-by=2026-01-31T13:00:00Z ", ""),
                                  Replaced("ends-by", "ends_by"),
                                  Replaced(" until=2026-01-31T12:10:00Z", ""),
                                  Replaced("until=2026", "until=infinite-")}) {
    EXPECT_THAT(ParseKeptRooms(text), IsEmpty()) << text;
    EXPECT_THAT(ParseKeptRooms(text + "," + kText), ElementsAre(Train())) << text;
  }
  EXPECT_THAT(ParseKeptRooms(",,=,ml/train,\n"), IsEmpty());
}

// Whoever may change nodes may write anything there.
TEST(KeptRooms, NoMoreThanEightAreReadAndWrittenHoweverLongTheTextIs) {
  std::vector<KeptRoom> entries;
  for (int i = 0; i < 10; ++i) entries.push_back(Of("ml/train-" + std::to_string(i)));
  const std::string text = KeptRoomsText(entries);
  EXPECT_EQ(text.find("train-8"), std::string::npos);
  entries.resize(kMostKeptRooms);
  EXPECT_EQ(ParseKeptRooms(text), entries);
  std::string many;
  for (int i = 0; i < 10'000; ++i) many += std::string(kText) + ",";
  EXPECT_THAT(ParseKeptRooms(many), SizeIs(kMostKeptRooms));
  EXPECT_THAT(ParseKeptRooms(std::string(kMostKeptRooms, ',') + kText), IsEmpty());
}

TEST(KeptRooms, HigherPriorityAndThenAgeComeFirst) {
  KeptRoom higher = Train();
  higher.priority = 2'147'483'647;
  KeptRoom lower = Train();
  lower.priority = -2'147'483'648;
  KeptRoom older = Train();
  older.created -= Duration{1};
  EXPECT_LT(PlaceOf(higher), PlaceOf(older));
  EXPECT_LT(PlaceOf(older), PlaceOf(Train()));
  EXPECT_LT(PlaceOf(Train()), PlaceOf(lower));
}

TEST(KeptRooms, APodThatDoesNotExistYetComesLastOfItsPriority) {
  EXPECT_LT(PlaceOf(Pod{.created = kNoon}), PlaceOf(Pod{}));
  EXPECT_LT(PlaceOf(Pod{.priority = 1}), PlaceOf(Pod{.created = kNoon}));
}

}  // namespace
}  // namespace berth::model
