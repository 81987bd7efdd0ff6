// Which gang comes first, and what is kept for one that waits.

#include "planner/gangs.h"
#include "tests/unit/planner/gang_fixture.h"

namespace berth::planner {
namespace {

using std::chrono::minutes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// So many nodes of 8 devices.
void AddNodes(GangFixture& f, int count) {
  for (int i = 0; i < count; ++i) f.AddNode("node-" + std::to_string(i), 8);
}

TEST(GangOrder, OfTwoGangsThatFitAloneTheOlderRunsAndTheOtherFollows) {
  GangFixture f;
  AddNodes(f, 10);
  f.WaitAll("one", 6, 8);
  f.WaitAll("two", 6, 8);
  EXPECT_THAT(f.Plan(), SizeIs(6));
  EXPECT_TRUE(f.HoldsNothing("two"));
  EXPECT_THAT(f.Plan(), SizeIs(6));
  f.BindAll("one");
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_TRUE(f.HoldsNothing("two"));
  EXPECT_EQ(f.PhaseOf("two"), GangPhase::kWaiting);
  f.EndAll("one");
  EXPECT_THAT(f.Plan(), SizeIs(6));
  EXPECT_THAT(f.Plan(), SizeIs(6));
  EXPECT_EQ(f.PhaseOf("two"), GangPhase::kReleased);
}

TEST(GangOrder, PriorityComesBeforeAge) {
  GangFixture f;
  AddNodes(f, 2);
  f.WaitAll("old", 2, 8);
  f.WaitAll("urgent", 2, 8);
  for (const char* name : {"urgent-0", "urgent-1"}) {
    f.Edit(name, [](model::Pod& pod) { pod.priority = 5; });
  }
  EXPECT_THAT(f.Plan(), ElementsAre("urgent-0 node-0", "urgent-1 node-1"));
}

TEST(GangOrder, ASinglePodOfHigherPriorityComesFirst) {
  GangFixture f;
  AddNodes(f, 2);
  f.WaitAll("train", 2, 8);
  f.Refuse("single");
  f.Edit("single", [](model::Pod& pod) { pod.priority = 5; });
  EXPECT_THAT(f.Plan(), ElementsAre("single node-0"));
}

TEST(GangOrder, NothingIsPromisedToAGangAndAPod) {
  GangFixture f;
  AddNodes(f, 2);
  f.WaitAll("train", 2, 8);
  f.Refuse("single");
  EXPECT_THAT(f.Plan(), ElementsAre("train-0 node-0", "train-1 node-1"));
  EXPECT_EQ(f.StateOf("single"), State::kNoNode);
}

// Two nodes of four are taken, and a gang waits for four.
GangFixture& WithAGangThatWaits(GangFixture& f) {
  AddNodes(f, 4);
  f.config.gangs.max_share = 1;
  f.Restart();
  f.Run("node-0", 8, 0);
  f.Run("node-1", 8, 0);
  f.WaitAll("large", 4, 8);
  return f;
}

TEST(GangReservation, LaterOnesDoNotGetWhatIsKept) {
  GangFixture f;
  WithAGangThatWaits(f).WaitAll("small", 2, 8);
  f.Refuse("single");
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.PhaseOf("small"), GangPhase::kWaiting);
}

TEST(GangReservation, SaysWhatIsKeptForWhom) {
  GangFixture f;
  WithAGangThatWaits(f).Plan();
  const auto rooms = f.planner->gangs().KeptRooms();
  ASSERT_THAT(rooms, SizeIs(4));
  const model::KeptRoom& room = rooms.at("node-3").front();
  EXPECT_EQ(room.gang, "team/large");
  EXPECT_EQ(room.resource, kGpu);
  EXPECT_EQ(room.devices, 8);
  EXPECT_EQ(room.priority, 0);
  EXPECT_EQ(room.created, f.pods.at("large-0").created);
  EXPECT_EQ(room.ends_by, room.created + f.config.gangs.backfill);
  EXPECT_EQ(room.until, model::kNoTime);
}

TEST(GangReservation, EndsWhenTheGangHasItsNodesOrIsGone) {
  GangFixture f;
  AddNodes(f, 2);
  f.config.gangs.max_share = 1;
  f.Restart();
  const model::Pod other = f.Run("node-0", 8, 0);
  f.WaitAll("large", 2, 8);
  f.Plan();
  ASSERT_THAT(f.planner->gangs().KeptRooms(), SizeIs(2));
  f.ShowEnded(other, "node-0");
  f.Plan();
  EXPECT_EQ(f.PhaseOf("large"), GangPhase::kPlanned);
  EXPECT_THAT(f.planner->gangs().KeptRooms(), IsEmpty());
}

TEST(GangReservation, EndsWhenAPodOfTheGangIsMissing) {
  GangFixture f;
  WithAGangThatWaits(f).Plan();
  f.Leave("large-0");
  f.Plan();
  EXPECT_THAT(f.planner->gangs().KeptRooms(), IsEmpty());
}

// Two pods of the gang fit each node.
TEST(GangReservation, CountsAllDevicesOfANode) {
  GangFixture f;
  AddNodes(f, 2);
  f.config.gangs.max_share = 1;
  f.Restart();
  f.Run("node-0", 8, 0);
  f.WaitAll("large", 4, 4);
  f.Plan();
  const auto rooms = f.planner->gangs().KeptRooms();
  ASSERT_THAT(rooms, SizeIs(2));
  EXPECT_EQ(rooms.at("node-0").front().devices, 8);
  EXPECT_EQ(rooms.at("node-1").front().devices, 8);
}

// Pods of DaemonSets have what it lacks, and stay.
GangFixture& WithAGangThatLacksProcessors(GangFixture& f) {
  AddNodes(f, 2);
  f.config.gangs.max_share = 1;
  f.Restart();
  for (const char* node : {"node-0", "node-1"}) {
    model::Pod daemon{.namespace_ = "team", .name = node, .uid = node};
    daemon.requests.Set("cpu", 1000);
    f.ShowBound(daemon, node);
  }
  f.WaitAll("large", 2, 8);
  for (const std::string& name : f.NamesOf("large")) {
    f.Edit(name, [](model::Pod& pod) { pod.requests.Set("cpu", 1'000'000); });
  }
  return f;
}

TEST(GangReservation, EndsForAWhileIfAllDevicesAreFreeInVain) {
  GangFixture f;
  WithAGangThatLacksProcessors(f).Plan();
  EXPECT_THAT(f.planner->gangs().KeptRooms(), SizeIs(2));
  f.Pass(Gangs::kAllFree);
  f.Plan();
  EXPECT_THAT(f.planner->gangs().KeptRooms(), IsEmpty());
  f.WaitAll("small", 1, 8);
  EXPECT_THAT(f.Plan(), SizeIs(1)) << "others get the devices meanwhile";
  f.Leave("small-0");
  f.Pass(Gangs::kKeepAgain);
  f.Plan();
  EXPECT_THAT(f.planner->gangs().KeptRooms(), SizeIs(2));
}

TEST(GangReservation, IsNotInVainWhileDevicesAreInUse) {
  GangFixture f;
  WithAGangThatWaits(f).Plan();
  f.Pass(2 * Gangs::kAllFree);
  f.Plan();
  EXPECT_THAT(f.planner->gangs().KeptRooms(), SizeIs(4));
}

// The nodes that are kept are free, and the others are not. Nothing says that these ever will be at
// the same time.
TEST(GangReservation, OfAGangBeyondTheShareIsInVainOnceItHasBeenFree) {
  GangFixture f;
  WithAGangThatWaits(f);
  f.config.gangs.max_share = 0.5;
  f.Restart();
  f.Plan();
  ASSERT_THAT(f.planner->gangs().KeptRooms(), SizeIs(2));
  EXPECT_THAT(f.ReasonOf("large"),
              HasSubstr("room is kept on 2 of 4 nodes of A30 (planner.gangs.maxShare)"));
  f.Pass(Gangs::kAllFree);
  f.Plan();
  EXPECT_THAT(f.planner->gangs().KeptRooms(), IsEmpty());
  f.Refuse("single", 8);
  EXPECT_THAT(f.Plan(), ElementsAre("single node-2"));
}

// Each of the others differs, and nodes are sought for so many gangs only in one round.
TEST(GangReservation, StaysWhileNodesAreSoughtForOthers) {
  GangFixture f;
  AddNodes(f, 4);
  f.config.gangs.max_share = 1;
  f.Restart();
  f.Run("node-0", 8, 0);
  f.Run("node-1", 8, 0);
  for (int i = 0; i < 100; ++i) {
    const std::string gang = "huge" + std::to_string(i);
    f.WaitAll(gang, 5, 8);
    for (const std::string& name : f.NamesOf(gang)) {
      f.Edit(name, [i](model::Pod& pod) { pod.requests.Set("cpu", 100 + i); });
    }
  }
  f.WaitAll("large", 4, 8);
  for (int i = 0; i < 20 && f.planner->gangs().KeptRooms().empty(); ++i) f.Plan();
  for (int i = 0; i < 10; ++i) {
    EXPECT_THAT(f.planner->gangs().KeptRooms(), SizeIs(4)) << i;
    f.Plan();
  }
}

// The extender refuses them what is kept.
TEST(GangReservation, PodsOfTheSameSecondComeLater) {
  GangFixture f;
  WithAGangThatWaits(f).Refuse("single");
  f.Edit("single", [&f](model::Pod& pod) { pod.created = f.pods.at("large-0").created; });
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.StateOf("single"), State::kNoNode);
}

TEST(GangReservation, OnesOfHigherPriorityGetIt) {
  GangFixture f;
  WithAGangThatWaits(f).WaitAll("small", 2, 8);
  for (const char* name : {"small-0", "small-1"}) {
    f.Edit(name, [](model::Pod& pod) { pod.priority = 5; });
  }
  EXPECT_THAT(f.Plan(), ElementsAre("small-0 node-2", "small-1 node-3"));
}

TEST(GangReservation, OnlyAShareOfTheNodesIsKept) {
  GangFixture f;
  WithAGangThatWaits(f);
  f.config.gangs.max_share = 0.25;
  f.Restart();
  f.WaitAll("small", 1, 8);
  EXPECT_THAT(f.Plan(), ElementsAre("small-0 node-3"));
}

// They wait for the nodes of another model, all of which are kept for the first two of them.
TEST(GangReservation, GangsForWhichNothingIsKeptLeaveTheirPlaceToOthers) {
  GangFixture f;
  AddNodes(f, 4);
  f.config.gangs.max_share = 1;
  f.Restart();
  for (int i = 0; i < 4; ++i) f.Run("node-" + std::to_string(i), 8, 0);
  for (const char* name : {"other-0", "other-1", "other-2", "other-3"}) {
    f.nodes.push_back(policies::scheduling::GpuNode(name, policies::scheduling::kV100, 16));
    f.nodes.back().node.allocatable.Set("pods", 110);
    f.nodes.back().node.allocatable.Set("cpu", 100);
    f.Node(name);
  }
  f.Run("other-0", 16, 0);
  f.Run("other-1", 16, 0);
  for (std::size_t i = 0; i <= Gangs::kMostKept; ++i) {
    const std::string gang = "many" + std::to_string(i);
    f.WaitAll(gang, 2, 8);
    for (const std::string& name : f.NamesOf(gang)) {
      f.Edit(name, [](model::Pod& pod) { pod.requests.Set("cpu", 500); });
    }
  }
  f.WaitAll("large", 4, 16);
  f.WaitAll("small", 2, 16);
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.PhaseOf("small"), GangPhase::kWaiting);
}

TEST(GangReservation, NothingIsKeptForAGangThatCanNeverFit) {
  GangFixture f;
  WithAGangThatWaits(f);
  for (std::size_t rank = 0; rank < 4; ++rank) f.Leave("large-" + std::to_string(rank));
  f.Pass(Planner::kLeaving);
  f.WaitAll("huge", 5, 8);
  f.WaitAll("small", 2, 8);
  EXPECT_THAT(f.Plan(), ElementsAre("small-0 node-2", "small-1 node-3"));
}

TEST(GangReservation, NothingIsKeptForAGangWhosePodsNeverFitTogether) {
  GangFixture f;
  AddNodes(f, 4);
  f.config.gangs.max_share = 1;
  f.Restart();
  // Three pods of each kind would fit, but not six.
  f.WaitAll("huge", 6, 8);
  for (const char* name : {"huge-0", "huge-1", "huge-2"}) {
    f.Edit(name, [](model::Pod& pod) { pod.requests.Set("cpu", 1000); });
  }
  f.WaitAll("small", 2, 8);
  EXPECT_THAT(f.Plan(), SizeIs(2));
  EXPECT_EQ(f.PhaseOf("small"), GangPhase::kPlanned);
  EXPECT_THAT(f.ReasonOf("huge"), HasSubstr("would not fit even if nothing else ran there"));
}

TEST(GangReservation, PodsThatEndInTimeMayUseIt) {
  GangFixture f;
  WithAGangThatWaits(f);
  f.time = f.pods.at("large-0").created + minutes(30);
  f.WaitAll("short", 2, 8, {{"berth.dev/max-runtime", "30m"}});
  EXPECT_THAT(f.Plan(), ElementsAre("short-0 node-2", "short-1 node-3"));
}

TEST(GangReservation, PodsThatDoNotEndInTimeMayNot) {
  GangFixture f;
  WithAGangThatWaits(f);
  f.time = f.pods.at("large-0").created + minutes(30);
  f.WaitAll("long", 2, 8, {{"berth.dev/max-runtime", "31m"}});
  EXPECT_THAT(f.Plan(), IsEmpty());
  f.time += minutes(30);
  EXPECT_THAT(f.Plan(), SizeIs(2));
}

TEST(GangReservation, ASinglePodThatEndsInTimeMayUseIt) {
  GangFixture f;
  WithAGangThatWaits(f);
  f.Refuse("short", 8);
  f.Edit("short", [](model::Pod& pod) { pod.annotations = {{"berth.dev/max-runtime", "10m"}}; });
  EXPECT_THAT(f.Plan(), ElementsAre("short node-2"));
}

TEST(GangReservation, WithoutBackfillNobodyMay) {
  GangFixture f;
  f.config.gangs.backfill = model::Duration::zero();
  WithAGangThatWaits(f).WaitAll("short", 2, 8, {{"berth.dev/max-runtime", "1s"}});
  EXPECT_THAT(f.Plan(), IsEmpty());
}

TEST(GangReservation, NobodyIsEvictedForAPodThatFitsWhereRoomIsKept) {
  GangFixture f;
  AddNodes(f, 3);
  f.config.gangs.max_share = 1;
  f.Restart();
  f.Run("node-0", 8, -5);
  f.Run("node-2", 8, -5);
  f.WaitAll("large", 2, 8);
  f.RefuseSampled("single", 1, 0);
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.StateOf("single"), State::kNoNode);
}

TEST(GangReservation, AGangThatHasBegunMayUseIt) {
  GangFixture f;
  AddNodes(f, 4);
  f.config.gangs.max_share = 1;
  f.Restart();
  f.ReleaseAll("begun", 2, 8);
  f.Bind("begun-0");
  f.WaitAll("large", 3, 8);
  for (const char* name : {"large-0", "large-1", "large-2"}) {
    f.Edit(name, [](model::Pod& pod) { pod.priority = 5; });
  }
  f.Node("node-1").quarantined = true;
  EXPECT_THAT(f.Plan(), ElementsAre("begun-1 node-2"));
}

}  // namespace
}  // namespace berth::planner
