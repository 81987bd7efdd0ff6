#include "controller/nominator.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/controller/nominator_fixture.h"

namespace berth::controller {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST_F(NominatorTest, NominatesANodeForThatVeryPod) {
  Reply(200);
  Wait({Refused()});
  RunFor(milliseconds(100));
  ASSERT_THAT(transport_.requests, SizeIs(1));
  EXPECT_EQ(transport_.requests[0].method, kube::HttpMethod::kPatch);
  EXPECT_EQ(transport_.requests[0].target, "/api/v1/namespaces/ml/pods/train/status");
  EXPECT_EQ(transport_.requests[0].body, R"({"metadata":{"annotations":{"berth.dev/plan":"v100-1",)"
                                         R"("berth.dev/plan-for":"rescue"},"uid":"train-uid"},)"
                                         R"("status":{"nominatedNodeName":"v100-1"}})");
  EXPECT_THAT(record_.written, ElementsAre("nomination ml/train v100-1"));
  EXPECT_THAT(metrics_.Exposition(),
              testing::HasSubstr("berth_planner_nominations_total{outcome=\"written\"} 1"));
}

TEST_F(NominatorTest, WithdrawsWhatFitsNoLonger) {
  Reply(200);
  Reply(200);
  model::Pod pod = Refused();
  Wait({pod});
  RunFor(milliseconds(100));
  pod.nominated_node = "v100-1";
  pod.annotations = {{"berth.dev/plan", "v100-1"}};
  nominator_.OnUpsert(pod);
  snapshot_->UpsertNode(Broken(Roomy("v100-1")).node);
  RunFor(milliseconds(100));
  ASSERT_THAT(transport_.requests, SizeIs(2));
  EXPECT_EQ(transport_.requests[1].body,
            R"({"metadata":{"annotations":{"berth.dev/plan":null,"berth.dev/plan-for":null},)"
            R"("uid":"train-uid"},)"
            R"("status":{"nominatedNodeName":null}})");
}

TEST_F(NominatorTest, MeasuresHowLongAPodHasWaitedForANominationAndForANode) {
  Reply(200);
  model::Pod pod = Refused();
  pod.created = policies::scheduling::kNow - seconds(30);
  Wait({pod});
  RunFor(milliseconds(100));
  EXPECT_THAT(metrics_.Exposition(),
              testing::HasSubstr("berth_planner_nomination_delay_seconds_sum 30\n"));
  EXPECT_THAT(metrics_.Exposition(),
              testing::HasSubstr("berth_planner_binding_delay_seconds_count 0\n"));
  pod.nominated_node = "v100-1";
  pod.annotations = {{"berth.dev/plan", "v100-1"}};
  nominator_.OnUpsert(pod);
  pod.node_name = "v100-1";
  snapshot_->UpsertPod(pod);
  nominator_.OnDelete(pod);  // for those who watch pods without a node
  RunFor(milliseconds(100));
  EXPECT_THAT(metrics_.Exposition(),
              testing::HasSubstr("berth_planner_binding_delay_seconds_sum 30\n"));
  EXPECT_THAT(metrics_.Exposition(),
              testing::HasSubstr("berth_planner_nominations_total{outcome=\"bound\"} 1\n"));
}

TEST_F(NominatorTest, CountsByNeedThePodsThatItLeavesToKubeScheduler) {
  model::Pod with_volume = Refused("volume");
  with_volume.attached_volumes = true;
  model::Pod with_claim = Refused("claim");
  with_claim.scored.claims = true;
  model::Pod large = Refused("large");
  large.tolerations.assign(95'000, {.op = "Exists"});
  Wait({with_volume, with_claim, large});
  RunFor(milliseconds(100));
  const std::string text = metrics_.Exposition();
  EXPECT_THAT(text, testing::HasSubstr("berth_planner_pods{state=\"left_to_scan\"} 3\n"));
  EXPECT_THAT(text, testing::HasSubstr("berth_planner_left_to_scan{need=\"volumes\"} 1\n"));
  EXPECT_THAT(text, testing::HasSubstr("berth_planner_left_to_scan{need=\"claims\"} 1\n"));
  EXPECT_THAT(text, testing::HasSubstr("berth_planner_left_to_scan{need=\"too_large\"} 1\n"));
}

TEST_F(NominatorTest, ACandidateDoesNotWrite) {
  Reply(200);
  leads_ = false;
  Wait({Refused()});
  RunFor(seconds(2));
  EXPECT_THAT(transport_.requests, IsEmpty());
  leads_ = true;  // the other one has just died
  RunFor(milliseconds(100));
  EXPECT_THAT(transport_.requests, SizeIs(1));
}

TEST_F(NominatorTest, WaitsForTheList) {
  nominator_.OnReplaceBegin();
  nominator_.OnUpsert(Refused());
  RunFor(seconds(2));
  EXPECT_THAT(transport_.requests, IsEmpty()) << "a pod that is not listed may be nominated";
}

TEST_F(NominatorTest, TriesAFailedWriteAgainAfterASecond) {
  Reply(500);
  Reply(200);
  Wait({Refused()});
  RunFor(milliseconds(900));
  EXPECT_THAT(transport_.requests, SizeIs(1));
  RunFor(milliseconds(1200));
  EXPECT_THAT(transport_.requests, SizeIs(2));
  EXPECT_THAT(metrics_.Exposition(),
              testing::HasSubstr("berth_planner_nominations_total{outcome=\"failed\"} 1"));
}

TEST_F(NominatorTest, WritesNothingForPodsThatAreGone) {
  Wait({Refused()});
  nominator_.OnDelete(Refused());
  RunFor(seconds(2));
  EXPECT_THAT(transport_.requests, IsEmpty());
}

// What cannot be read was refused a moment ago, and waits on.
TEST_F(NominatorTest, APodThatCannotBeReadWaitsOn) {
  Reply(200);
  Wait({Refused()});
  nominator_.OnReplaceBegin();
  nominator_.OnUnreadable(
      {.kind = "Pod", .namespace_ = "ml", .name = "train", .uid = "train-uid", .error = ""});
  nominator_.OnReplaceEnd("11");
  RunFor(milliseconds(100));
  EXPECT_THAT(transport_.requests, SizeIs(1));
}

TEST_F(NominatorTest, APodIsGoneIfAnUnreadableOneHasItsName) {
  model::Pod pod = Refused();
  pod.unschedulable.clear();
  Wait({pod});
  RunFor(milliseconds(100));
  nominator_.OnUnreadable(
      {.kind = "Pod", .namespace_ = "ml", .name = pod.name, .uid = "another-uid", .error = ""});
  RunFor(milliseconds(100));
  EXPECT_THAT(metrics_.Exposition(), testing::HasSubstr("berth_planner_pods{state=\"head\"} 0"));
}

TEST_F(NominatorTest, TheGaugesFallWhenThePodsAreGone) {
  model::Pod pod = Refused();
  pod.unschedulable.clear();
  Wait({pod});
  RunFor(milliseconds(100));
  EXPECT_THAT(metrics_.Exposition(), testing::HasSubstr("berth_planner_pods{state=\"head\"} 1"));
  nominator_.OnDelete(pod);
  RunFor(milliseconds(100));
  EXPECT_THAT(metrics_.Exposition(), testing::HasSubstr("berth_planner_pods{state=\"head\"} 0"));
}

TEST_F(NominatorTest, TheGaugesFallWhenItIsSwitchedOff) {
  model::Pod pod = Refused();
  pod.unschedulable.clear();
  Wait({pod});
  RunFor(milliseconds(100));
  Make({.schedulers = {}}).Run();
  EXPECT_THAT(metrics_.Exposition(), testing::HasSubstr("berth_planner_pods{state=\"head\"} 0"));
}

TEST_F(NominatorTest, IsOffWithoutSchedulers) {
  Nominator off = Make({.schedulers = {}});
  Wait(off, {Refused()});
  off.Run();
  EXPECT_THAT(transport_.requests, IsEmpty());
}

}  // namespace
}  // namespace berth::controller
