// What a planner makes of a list of waiting pods.

#include "planner/planner.h"

#include "tests/unit/planner/fixture.h"

namespace berth::planner {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Fixture Nominated() {
  Fixture f;
  f.nodes = {RoomyNode("a"), RoomyNode("b")};
  f.Refuse("1", 8);
  EXPECT_THAT(f.Plan(), ElementsAre("1 a"));
  return f;
}

TEST(Restart, NominationsThatStandAreKept) {
  Fixture f = Nominated();
  f.Restart();
  f.Refuse("2", 8);
  EXPECT_THAT(f.Plan(), ElementsAre("2 b"));
  EXPECT_EQ(f.StateOf("1"), State::kNominated);
}

TEST(Restart, ThePlannersOwnAreReplacedWhenTheyAreWrong) {
  Fixture f = Nominated();
  f.Node("a").quarantined = true;
  f.Restart();
  EXPECT_THAT(f.Plan(), ElementsAre("1 b"));
}

// With another configuration.
TEST(Restart, PodsThatAreNotPlannedAnyMoreGetNoOtherNode) {
  Fixture f = Nominated();
  f.config.schedulers = {"other"};
  f.Restart();
  EXPECT_THAT(f.Plan(), IsEmpty()) << "what stands may be used";
  f.Node("a").quarantined = true;
  EXPECT_THAT(f.Plan(), ElementsAre("1 "));
  EXPECT_EQ(f.StateOf("1"), State::kOtherScheduler);
}

TEST(Restart, NominationsOfOthersAreLeftAlone) {
  Fixture f = Nominated();
  f.Nominate("1", "b");  // the annotation still names the other node
  f.Node("b").quarantined = true;
  f.Restart();
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.StateOf("1"), State::kNominatedByOther);
}

TEST(Restart, NothingIsPlannedBeforeTheListIsComplete) {
  Fixture f = Nominated();
  f.planner = std::make_unique<Planner>(Engine(), f.config);
  f.planner->BeginReplace();
  f.Refuse("2");
  EXPECT_THAT(f.Plan(), IsEmpty());
  f.planner->Upsert(f.pods.at("1"), f.now);
  f.planner->EndReplace();
  EXPECT_THAT(f.Plan(), ElementsAre("2 b"));
}

TEST(Relist, APodThatIsNotListedWaitsNoLongerButItsNodeStaysPromised) {
  Fixture f = Nominated();
  f.Node("b").node.unschedulable = true;
  f.pods.erase("1");
  f.Relist();
  EXPECT_EQ(f.planner->Find("team", "1"), std::nullopt);
  f.Refuse("2");
  EXPECT_THAT(f.Plan(), IsEmpty());
  f.Pass(Planner::kLeaving);
  EXPECT_THAT(f.Plan(), ElementsAre("2 a"));
}

TEST(Relist, WhatIsKnownOfListedPodsStays) {
  Fixture f = Nominated();
  f.Nominate("1", "");
  f.Relist();
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.StateOf("1"), State::kBackingOff);
}

TEST(Leader, WhatIsNotPlannedPilesNothingUp) {
  Fixture f = Nominated();
  f.Restart();
  f.Leave("1");
  EXPECT_FALSE(f.planner->empty()) << "its node stays promised";
  f.planner->Skip();
  EXPECT_TRUE(f.planner->empty());
}

TEST(Leader, WhatAnotherPlannerWroteIsTakenOver) {
  Fixture f = Nominated();
  f.Write({.namespace_ = "team", .name = "1", .uid = "uid-1", .node = "b"});
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.StateOf("1"), State::kNominated);
  f.Node("b").quarantined = true;
  EXPECT_THAT(f.Plan(), ElementsAre("1 a"));
}

}  // namespace
}  // namespace berth::planner
