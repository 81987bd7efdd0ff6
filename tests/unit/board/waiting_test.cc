#include "board/waiting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "tests/unit/board/board_fixtures.h"

namespace berth::board {
namespace {

using ::testing::ElementsAre;

std::vector<WaitingRow> RowsOf(const std::vector<model::Pod>& pods) {
  PodTable table(TestCatalog(), "berth.dev");
  for (const model::Pod& pod : pods) table.Upsert(pod);
  return WaitingRows(table.waiting(), *TestCatalog(), WaitingNames("berth.dev"));
}

std::vector<std::string> NamesOf(const std::vector<WaitingRow>& rows) {
  std::vector<std::string> names;
  for (const WaitingRow& row : rows) names.push_back(row.gang.empty() ? row.pod : row.gang);
  return names;
}

model::Pod Member(const std::string& name, const std::string& gang, int size, model::Time created) {
  model::Pod pod = Waiting(name, 8, 0, created);
  pod.annotations = {{"berth.dev/gang-name", gang}, {"berth.dev/gang-size", std::to_string(size)}};
  pod.gated = true;
  pod.gates = {"berth.dev/gang"};
  return pod;
}

TEST(BoardWaiting, HigherPrioritiesComeFirstThenOlderPodsThenWhatOthersHoldBack) {
  model::Pod held = Waiting("held-back", 8, 100, kNow - std::chrono::hours(9));
  held.gated = true;
  held.gates = {"kueue.x-k8s.io/admission"};
  const auto rows =
      RowsOf({held, Waiting("young", 8), Waiting("old", 8, 0, kNow - std::chrono::hours(1)),
              Waiting("urgent", 8, 10)});
  EXPECT_THAT(NamesOf(rows), ElementsAre("urgent", "old", "young", "held-back"));
  EXPECT_EQ(rows.back().why, "the scheduling gate kueue.x-k8s.io/admission holds it back");
}

TEST(BoardWaiting, AGangIsOneRowInThePlaceOfItsOldestPod) {
  const auto rows =
      RowsOf({Member("g-0", "g", 4, kNow), Waiting("single", 1, 0, kNow - std::chrono::minutes(1)),
              Member("g-1", "g", 4, kNow - std::chrono::hours(2))});
  ASSERT_THAT(NamesOf(rows), ElementsAre("g", "single"));
  EXPECT_EQ(rows[0].pods, 2);
  EXPECT_EQ(rows[0].size, 4);
  EXPECT_EQ(rows[0].devices, 16);
  EXPECT_EQ(rows[0].created, kNow - std::chrono::hours(2));
  EXPECT_EQ(rows[0].why,
            "2 of its 4 pods wait: it waits until there are nodes for all pods of its gang");
}

TEST(BoardWaiting, AGangAsksForNoMoreDevicesThanFit) {
  std::vector<model::Pod> pods = {Member("g-0", "g", 2, kNow), Member("g-1", "g", 2, kNow)};
  for (model::Pod& pod : pods) pod.requests.Set(kGpu, std::int64_t{1} << 62);
  const auto rows = RowsOf(pods);
  ASSERT_THAT(NamesOf(rows), ElementsAre("g"));
  EXPECT_EQ(rows[0].devices, std::numeric_limits<std::int64_t>::max());
}

TEST(BoardWaiting, AGangTellsForHowManyPodsNodesArePlanned) {
  model::Pod planned = Member("g-0", "g", 2, kNow);
  planned.nominated_node = "a";
  const auto rows = RowsOf({planned, Member("g-1", "g", 2, kNow)});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].planned, 1);
  EXPECT_EQ(rows[0].node, "a");
  EXPECT_EQ(rows[0].why, "nodes are planned for 1 of its 2 waiting pods");
}

TEST(BoardWaiting, AGangTellsWhyThePlannerHoldsItBack) {
  const std::string why = "gang g of 4: 2 of 4 pods fit at once on nodes of one model (A100)";
  std::vector<model::Pod> pods = {Member("g-0", "g", 4, kNow), Member("g-1", "g", 4, kNow),
                                  Member("other-0", "other", 2, kNow)};
  pods[1].why_gang_waits = why;
  auto rows = RowsOf(pods);
  ASSERT_THAT(NamesOf(rows), ElementsAre("g", "other"));
  EXPECT_EQ(rows[0].why, why) << "one of its pods has the condition by now";
  EXPECT_EQ(rows[1].why,
            "1 of its 2 pods wait: it waits until there are nodes for all pods of its gang");

  pods[0].why_gang_waits = "";
  EXPECT_EQ(RowsOf(pods)[0].why, why) << "that of the first pod gives no reason";

  pods[0].nominated_node = "a";
  EXPECT_EQ(RowsOf(pods)[0].why, "nodes are planned for 1 of its 2 waiting pods; " + why);

  pods[1].gates.emplace_back("kueue.x-k8s.io/admission");
  rows = RowsOf(pods);
  EXPECT_TRUE(rows.back().is_held_back);
  EXPECT_EQ(rows.back().gang, "g");
  EXPECT_EQ(rows.back().why, "the scheduling gate kueue.x-k8s.io/admission holds it back");
}

TEST(BoardWaiting, APodOfAPodGroupTellsWhyThePlannerHoldsItBack) {
  model::Pod pod = Waiting("train-0", 8);
  pod.unschedulable = "waiting for the PodGroup berth-train";
  pod.why_gang_waits = "gang train of 2: 1 of 2 pods are there";
  pod.scheduling_group = "berth-train";
  EXPECT_EQ(RowsOf({pod})[0].why, *pod.why_gang_waits);
  // Without a gate and a PodGroup nothing holds it back.
  pod.scheduling_group.clear();
  EXPECT_EQ(RowsOf({pod})[0].why, pod.unschedulable);
}

TEST(BoardWaiting, WhatThePlannerSaysIsOneLine) {
  model::Pod pod = Waiting("train-0", 8);
  pod.gated = true;
  pod.gates = {"berth.dev/gang"};
  pod.why_gang_waits = "1 of 2\nfit";
  EXPECT_EQ(RowsOf({pod})[0].why, "1 of 2 fit");
}

TEST(BoardWaiting, AGangAsksForWhatItsWorkersAskForIfItsLauncherAsksForNothing) {
  model::Pod launcher = Member("a-launcher", "g", 3, kNow);
  launcher.requests = {};
  std::vector<model::Pod> pods = {launcher, Member("b-0", "g", 3, kNow),
                                  Member("b-1", "g", 3, kNow)};
  pods[1].annotations.emplace_back("berth.dev/accelerators", "V100");
  std::sort(pods[1].annotations.begin(), pods[1].annotations.end());
  const auto rows = RowsOf(pods);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].pod, "a-launcher");
  EXPECT_EQ(rows[0].pods, 3);
  EXPECT_EQ(rows[0].resource, kGpu);
  EXPECT_EQ(rows[0].devices, 16);
  EXPECT_EQ(rows[0].models, "V100");
}

TEST(BoardWaiting, DevicesOfTwoResourcesAreNotAddedUp) {
  model::Pod other = Member("g-1", "g", 3, kNow);
  other.requests = {};
  other.requests.Set(cluster::kMnCore, 4);
  const auto rows = RowsOf({Member("g-0", "g", 3, kNow), other, Member("g-2", "g", 3, kNow)});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].resource, kGpu);
  EXPECT_EQ(rows[0].devices, 16);
  EXPECT_EQ(rows[0].pods, 3);
}

TEST(BoardWaiting, TextsThatOthersWriteAreCut) {
  model::Pod pod = Waiting("train", 8);
  pod.annotations = {{"berth.dev/accelerators", std::string(200'000, 'm')}};
  pod.unschedulable = std::string(20'000, 'w');
  const auto rows = RowsOf({pod});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].models, std::string(253, 'm') + "...");
  EXPECT_EQ(rows[0].why, std::string(4093, 'w') + "...");
}

TEST(BoardWaiting, APodSaysWhyItWaits) {
  model::Pod refused = Waiting("refused", 8);
  refused.unschedulable = "0/3 nodes are available: 3 Insufficient nvidia.com/gpu.";
  const auto rows = RowsOf({refused, Nominated("planned", 8, "a"), Waiting("untried", 8)});
  ASSERT_THAT(NamesOf(rows), ElementsAre("planned", "refused", "untried"));
  EXPECT_EQ(rows[0].why, "planned for a: kube-scheduler tries that node first");
  EXPECT_EQ(rows[1].why, refused.unschedulable);
  EXPECT_EQ(rows[2].why, "kube-scheduler has not said anything about it yet");
}

}  // namespace
}  // namespace berth::board
