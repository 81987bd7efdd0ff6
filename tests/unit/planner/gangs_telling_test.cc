#include <chrono>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/planner/gang_fixture.h"

namespace berth::planner {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// What the planner tells of gangs, a word each.
std::vector<std::string> Told(GangFixture& f) {
  std::vector<std::string> told;
  for (const GangChange& change : f.planner->TakeGangChanges()) {
    told.push_back(change.name + ' ' + std::string(NameOf(change.event)));
  }
  return told;
}

/// A gang whose pods wait no longer after its release, and are not shown bound. Its release is
/// told.
class GangThatLeft : public GangFixture {
 public:
  GangThatLeft() {
    AddNode("a", 8);
    ReleaseAll("train", 2, 4);
    Told(*this);
    Leave("train-0");
    Leave("train-1");
    Plan();
  }
};

TEST(GangTelling, EachStepOfAGangIsToldOnce) {
  GangFixture f;
  f.AddNode("a", 8);
  f.WaitInGang("train", 0, 2, 8);
  f.Plan();
  EXPECT_THAT(Told(f), ElementsAre("train collecting"));
  f.WaitInGang("train", 1, 2, 8);
  f.Plan();
  EXPECT_THAT(Told(f), ElementsAre("train waiting"));
  f.Plan();
  EXPECT_THAT(Told(f), IsEmpty());
  f.AddNode("b", 8);
  f.Plan();
  EXPECT_THAT(Told(f), ElementsAre("train planned"));
  f.Plan();
  EXPECT_THAT(Told(f), ElementsAre("train released"));
  f.BindAll("train");
  f.Plan();
  const auto changes = f.planner->TakeGangChanges();
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].event, GangEvent::kLeft);
  EXPECT_EQ(changes[0].running, 2U);
  EXPECT_EQ(changes[0].size, 2U);
  EXPECT_EQ(changes[0].namespace_, "team");
}

TEST(GangTelling, WhatRunsOfAGangThatLeavesIsToldWhenTheViewShowsAllOfIt) {
  GangFixture f;
  f.AddNode("a", 8);
  f.AddNode("b", 8);
  f.ReleaseAll("train", 2, 8);
  Told(f);
  f.Bind("train-0");
  const model::Pod late = f.pods.at("train-1");
  f.Leave("train-1");
  f.Plan();
  EXPECT_THAT(Told(f), IsEmpty()) << "the view lags behind the watch of waiting pods";
  f.ShowBound(late, late.nominated_node);
  f.running["train-1"] = {late, late.nominated_node};
  f.Plan();
  const auto changes = f.planner->TakeGangChanges();
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].event, GangEvent::kLeft);
  EXPECT_EQ(changes[0].running, 2U);
}

TEST(GangTelling, AGangWhosePodsAreDeletedLeavesAfterAWhile) {
  GangThatLeft f;
  EXPECT_THAT(Told(f), IsEmpty());
  f.Pass(Planner::kLeaving);
  f.Plan();
  EXPECT_THAT(Told(f), ElementsAre("train left"));
}

TEST(GangTelling, AGangThatStartsAnewHasLeftBefore) {
  GangThatLeft f;
  f.WaitInGang("train", 0, 2, 4);
  f.Plan();
  EXPECT_THAT(Told(f), ElementsAre("train left", "train collecting"));
}

TEST(GangTelling, OneThatIsPlannedByAnotherControllerIsReleasedOnce) {
  GangFixture f;
  f.AddNode("a", 8);
  f.ReleaseAll("train", 2, 4);
  f.Restart();
  f.Plan();
  EXPECT_THAT(Told(f), IsEmpty()) << "the former controller has told of the release";
}

TEST(GangTelling, SaysOverHowManyDomainsAGangIsSpread) {
  GangFixture f;
  f.AddNode("a", 8, "r1", "z");
  f.AddNode("b", 8, "r2", "z");
  f.AddNode("c", 8, "r3", "z");
  f.ReleaseAll("train", 2, 8);
  const std::vector<GangChange> changes = f.planner->TakeGangChanges();
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[1].event, GangEvent::kReleased);
  EXPECT_THAT(changes[1].spans, ElementsAre(GangSpan{kRack, 2}, GangSpan{kZone, 1}));
}

TEST(GangTelling, KnowsHowFarEachGangIs) {
  GangFixture f;
  f.AddNode("a", 8, "r1", "z");
  f.AddNode("b", 8, "r2", "z");
  f.ReleaseAll("train", 2, 8);
  f.Bind("train-0");
  f.WaitInGang("late", 0, 2, 8);
  f.Edit("late-0", [](model::Pod& pod) { pod.priority = 7; });
  f.Plan();
  EXPECT_THAT(f.planner->gangs().Outlooks(),
              ElementsAre(GangOutlook{.namespace_ = "team",
                                      .name = "late",
                                      .phase = GangPhase::kCollecting,
                                      .size = 2,
                                      .waiting = 1,
                                      .running = 0,
                                      .reason = "1 of 2 pods are there",
                                      .priority = 7,
                                      .created = f.pods.at("late-0").created,
                                      .since = f.time,
                                      .spans = {}},
                          GangOutlook{.namespace_ = "team",
                                      .name = "train",
                                      .phase = GangPhase::kReleased,
                                      .size = 2,
                                      .waiting = 1,
                                      .running = 1,
                                      .reason = "1 of 2 pods are not bound yet",
                                      .priority = 0,
                                      .created = f.pods.at("train-1").created,
                                      .since = f.time,
                                      .spans = {{kRack, 2}, {kZone, 1}}}));
  f.Bind("train-1");
  f.Leave("late-0");
  f.Plan();
  EXPECT_THAT(f.planner->gangs().Outlooks(), IsEmpty());
}

TEST(GangTelling, DoesNotKnowTheSpansOfAReleaseBeforeARestart) {
  GangFixture f;
  f.AddNode("a", 8, "r1", "z");
  f.ReleaseAll("train", 2, 4);
  f.Restart();
  f.Plan();
  EXPECT_EQ(f.PhaseOf("train"), GangPhase::kReleased);
  EXPECT_THAT(f.planner->gangs().Find("team", "train")->spans, IsEmpty());
}

TEST(GangTelling, TellsOfAnEviction) {
  GangFixture f;
  f.AddNode("a", 8);
  f.ReleaseAll("train", 2, 4);
  f.Bind("train-0");
  f.Plan();
  Told(f);
  f.Pass(std::chrono::seconds(f.config.gangs.timeout) + std::chrono::seconds(1));
  f.Plan();
  EXPECT_THAT(Told(f), ElementsAre("train evicted"));
}

TEST(GangTelling, KnowsTheOldestGangThatWaits) {
  GangFixture f;
  EXPECT_EQ(f.planner->gangs().OldestWaiting(), model::kNoTime);
  f.WaitInGang("train", 0, 2, 8);
  f.WaitInGang("later", 0, 2, 8);
  f.Plan();
  EXPECT_EQ(f.planner->gangs().OldestWaiting(), f.pods.at("train-0").created);
  for (const char* name : {"train-0", "later-0"}) {
    f.Edit(name, [](model::Pod& pod) { pod.gates.emplace_back("kueue.x-k8s.io/admission"); });
  }
  f.Plan();
  EXPECT_EQ(f.planner->gangs().OldestWaiting(), model::kNoTime) << "Kueue has not released it";
}

// Nobody but who looks for the gate finds it.
TEST(GangTelling, APodBehindTheGateWhoseGangCannotBeReadCountsAsOneThatWaits) {
  for (const model::StringMap& annotations : std::vector<model::StringMap>{
           {}, {{"berth.dev/gang-name", "train"}, {"berth.dev/gang-size", "many"}}}) {
    GangFixture f;
    f.WaitInGang("train", 0, 2, 8);
    f.WaitInGang("later", 0, 2, 8);
    f.Edit("train-0", [&](model::Pod& pod) { pod.annotations = annotations; });
    f.Plan();
    EXPECT_EQ(f.planner->OldestGated(), f.pods.at("train-0").created);
    f.Edit("train-0", [](model::Pod& pod) { pod.gates.emplace_back("kueue.x-k8s.io/admission"); });
    EXPECT_EQ(f.planner->OldestGated(), f.pods.at("later-0").created);
    f.Leave("later-0");
    f.Plan();
    EXPECT_EQ(f.planner->OldestGated(), model::kNoTime);
  }
}

TEST(GangTelling, APodBehindTheGateIsNobodysWhereNoGangsArePlanned) {
  GangFixture f;
  f.config.gangs.enabled = false;
  f.Restart();
  f.WaitInGang("train", 0, 2, 8);
  f.Plan();
  EXPECT_EQ(f.planner->OldestGated(), model::kNoTime) << "its gate is taken away";
}

}  // namespace
}  // namespace berth::planner
