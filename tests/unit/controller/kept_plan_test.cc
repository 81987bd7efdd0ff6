#include "controller/kept_plan.h"

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/controller/fixtures.h"

namespace berth::controller {
namespace {

using model::KeptRoom;
using policies::scheduling::FixedView;
using policies::scheduling::GpuNode;
using policies::scheduling::kNow;
using policies::scheduling::kV100;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr char kKeptOnNodes[] = "berth.dev/kept";
constexpr minutes kEntryLife{10};
constexpr char kOtherDevices[] = "amd.com/gpu";

KeptRoom Room(const std::string& gang = "ml/train") {
  return {.gang = gang,
          .resource = std::string(policies::scheduling::kGpu),
          .devices = 8,
          .created = kNow - hours(1),
          .ends_by = kNow + hours(1)};
}

// The same as it stands on a node.
KeptRoom Until(model::Time until, KeptRoom room = Room()) {
  room.until = until;
  return room;
}

model::NodeState Noted(const std::string& name, const std::string& text = "") {
  model::NodeState state = GpuNode(name, kV100);
  state.node.uid = "u-" + name;
  if (!text.empty()) state.node.annotations = {{kKeptOnNodes, text}};
  return state;
}

model::NodeState Noted(const std::string& name, const KeptRoom& room) {
  return Noted(name, model::KeptRoomsText({room}));
}

std::vector<KeptChange> PlanOf(std::vector<model::NodeState> nodes,
                               const std::optional<KeptByNode>& kept) {
  return PlanKept(FixedView(std::move(nodes)), kKeptOnNodes, kept, kNow, kEntryLife);
}

TEST(PlanKept, WritesWhatIsKeptAndRemovesWhatIsNotKeptAnyMore) {
  const std::string text = model::KeptRoomsText({Until(kNow + kEntryLife)});
  EXPECT_THAT(
      PlanOf({Noted("gpu-1"), Noted("gpu-2", Until(kNow + minutes(8))), Noted("gpu-3"),
              Noted("gpu-4", Until(kNow + minutes(8))), Noted("gpu-5", "nobody can read this")},
             KeptByNode{{"gpu-1", {Room()}}, {"gpu-2", {Room()}}}),
      ElementsAre(KeptChange{"gpu-1", "u-gpu-1", text}, KeptChange{"gpu-4", "u-gpu-4", ""},
                  KeptChange{"gpu-5", "u-gpu-5", ""}));
}

TEST(PlanKept, WritesWhatDiffersAtOnce) {
  const KeptRoom wanted = Room();
  KeptRoom other_gang = wanted;
  other_gang.gang = "ml/other";
  KeptRoom other_resource = wanted;
  other_resource.resource = kOtherDevices;
  KeptRoom fewer = wanted;
  fewer.devices = 4;
  KeptRoom higher = wanted;
  higher.priority = 1;
  KeptRoom older = wanted;
  older.created -= seconds(1);
  KeptRoom earlier = wanted;
  earlier.ends_by -= seconds(1);
  const std::string text = model::KeptRoomsText({Until(kNow + kEntryLife)});
  for (const KeptRoom& room : {other_gang, other_resource, fewer, higher, older, earlier}) {
    const KeptRoom present = Until(kNow + kEntryLife, room);
    EXPECT_THAT(PlanOf({Noted("gpu-1", present)}, KeptByNode{{"gpu-1", {wanted}}}),
                ElementsAre(KeptChange{"gpu-1", "u-gpu-1", text}));
  }
}

// With planner.gangs.backfill: 0s the time is that of the round.
TEST(PlanKept, WritesNothingBecauseATimeThatIsOverHasChanged) {
  KeptRoom present = Until(kNow + minutes(8));
  present.ends_by = kNow - minutes(2);
  KeptRoom wanted = Room();
  wanted.ends_by = kNow;
  EXPECT_THAT(PlanOf({Noted("gpu-1", present)}, KeptByNode{{"gpu-1", {wanted}}}), IsEmpty());
}

TEST(PlanKept, RenewsWhatHasLessThanHalfOfItsLifeLeft) {
  const KeptByNode kept = {{"gpu-1", {Room()}}};
  const std::string text = model::KeptRoomsText({Until(kNow + kEntryLife)});
  EXPECT_THAT(PlanOf({Noted("gpu-1", Until(kNow + kEntryLife / 2))}, kept), IsEmpty());
  EXPECT_THAT(PlanOf({Noted("gpu-1", Until(kNow + kEntryLife / 2 - seconds(1)))}, kept),
              ElementsAre(KeptChange{"gpu-1", "u-gpu-1", text, true}));
}

TEST(PlanKept, AGangMayHaveSeveralResourcesOnANode) {
  KeptRoom other = Room();
  other.resource = kOtherDevices;
  const KeptByNode kept = {{"gpu-1", {Room(), other}}};
  const std::string text =
      model::KeptRoomsText({Until(kNow + kEntryLife), Until(kNow + kEntryLife, other)});
  EXPECT_THAT(PlanOf({Noted("gpu-1", Until(kNow + kEntryLife))}, kept),
              ElementsAre(KeptChange{"gpu-1", "u-gpu-1", text}));
  EXPECT_THAT(PlanOf({Noted("gpu-1", text)}, kept), IsEmpty());
}

// Otherwise a controller that takes over would let everybody on the nodes until it has planned.
TEST(PlanKept, BeforeThereIsAPlanOnlyExpiredEntriesGo) {
  const KeptRoom over = Until(kNow, Room("ml/over"));
  const KeptRoom fresh = Until(kNow + seconds(1));
  EXPECT_THAT(PlanOf({Noted("gpu-1", fresh), Noted("gpu-2", over),
                      Noted("gpu-3", model::KeptRoomsText({over, fresh})), Noted("gpu-4"),
                      Noted("gpu-5", "nobody can read this")},
                     std::nullopt),
              ElementsAre(KeptChange{"gpu-2", "u-gpu-2", ""},
                          KeptChange{"gpu-3", "u-gpu-3", model::KeptRoomsText({fresh})}));
}

TEST(PlanKept, OfTooManyEntriesThoseStayThatArePlannedFirst) {
  std::vector<KeptRoom> rooms;
  for (std::size_t i = 0; i < model::kMostKeptRooms + 1; ++i) {
    rooms.push_back(Room("ml/gang-" + std::to_string(i)));
  }
  rooms[0].created += seconds(1);
  rooms.back().priority = 1;
  const auto changes = PlanOf({Noted("gpu-1")}, KeptByNode{{"gpu-1", rooms}});
  ASSERT_THAT(changes, testing::SizeIs(1));
  std::vector<KeptRoom> written = model::ParseKeptRooms(changes[0].text);
  ASSERT_THAT(written, testing::SizeIs(model::kMostKeptRooms));
  EXPECT_EQ(written.front().gang, rooms.back().gang);
  EXPECT_THAT(
      written,
      testing::Not(testing::Contains(testing::Field("gang", &KeptRoom::gang, "ml/gang-0"))));
  EXPECT_THAT(PlanOf({Noted("gpu-1", changes[0].text)}, KeptByNode{{"gpu-1", rooms}}), IsEmpty());
}

TEST(PlanKept, LeavesOutNodesThatAreGoneOrCannotBeRead) {
  auto unreadable = Noted("gpu-1", Until(kNow));
  unreadable.quarantined = true;
  EXPECT_THAT(PlanOf({unreadable}, std::nullopt), IsEmpty());
  EXPECT_THAT(PlanOf({unreadable}, KeptByNode{{"gpu-9", {Room()}}}), IsEmpty());
}

TEST(CountKept, CountsNodesWithEntriesThatHaveNotExpired) {
  const KeptRoom fresh = Until(kNow + seconds(1));
  const std::string two = model::KeptRoomsText({fresh, Until(kNow + hours(1), Room("ml/b"))});
  const FixedView view({Noted("gpu-1", Until(kNow)), Noted("gpu-2"), Noted("gpu-3", fresh),
                        Noted("gpu-4", two), Noted("gpu-5", "nobody can read this")});
  EXPECT_EQ(CountKept(view, kKeptOnNodes, kNow), 2U);
}

}  // namespace
}  // namespace berth::controller
