#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "placement/explanation.h"
#include "tests/unit/policies/fixtures.h"

namespace berth::placement {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A pod with one device that waits for the scheduler berth.
model::Pod Waiting() {
  model::Pod pod = policies::scheduling::PodAskingFor(policies::scheduling::kGpu, 1);
  pod.uid = "u1";
  pod.scheduler = "berth";
  return pod;
}

std::vector<std::string> HintsOf(const model::Pod& pod,
                                 const planner::PlannerConfig& planner = {}) {
  Explanation explanation;
  explanation.requests = {{"nvidia.com/gpu", 1}};
  AddPlanHints(pod, planner, "berth.dev", explanation);
  return explanation.hints;
}

TEST(PlanHints, WhoHasNominatedWhichNode) {
  model::Pod pod = Waiting();
  pod.nominated_node = "n1";
  pod.annotations = {{"berth.dev/plan", "n1"}};
  EXPECT_THAT(HintsOf(pod), ElementsAre("n1 is nominated by Berth's planner: kube-scheduler tries "
                                        "that node first"));
  pod.nominated_node = "n2";
  EXPECT_THAT(HintsOf(pod), ElementsAre("n2 is nominated by somebody else: kube-scheduler tries "
                                        "that node first"))
      << "the annotation is of before";
}

TEST(PlanHints, WhatANodeWasNominatedFor) {
  const struct {
    std::string purpose;
    std::string words;
  } cases[] = {
      {"rescue", " (rescue: kube-scheduler had refused the pod, and this node fitted)"},
      {"eviction",
       " (eviction: no node fitted, but evicting pods of lower priority from this one would help)"},
      {"backlog", " (backlog: many other pods waited before this one)"},
      {"gang", " (gang: nodes are nominated for all of its pods)"},
      {"something of a later version", ""},
  };
  for (const auto& test : cases) {
    model::Pod pod = Waiting();
    pod.nominated_node = "n1";
    pod.annotations = {{"berth.dev/plan", "n1"}, {"berth.dev/plan-for", test.purpose}};
    EXPECT_THAT(HintsOf(pod), ElementsAre("n1 is nominated by Berth's planner: kube-scheduler "
                                          "tries that node first" +
                                          test.words));
    pod.nominated_node = "n2";
    EXPECT_THAT(HintsOf(pod), ElementsAre("n2 is nominated by somebody else: kube-scheduler tries "
                                          "that node first"))
        << "the annotations are of before";
  }
}

TEST(PlanHints, WhyNoNodeIsNominated) {
  const struct {
    std::function<void(model::Pod&)> change;
    std::string hint;
  } cases[] = {
      {[](model::Pod&) {},
       "(head): kube-scheduler has not tried it. The planner looks for a node once it was "
       "refused"},
      {[](model::Pod& pod) { pod.unschedulable = "0/9 nodes are available"; },
       "(no_node): no node fits it"},
      {[](model::Pod& pod) { pod.gated = true; }, "(gated): it has scheduling gates"},
      {[](model::Pod& pod) {
         pod.gated = true;
         pod.why_gang_waits = "gang train of 4: 3 of 4 pods fit at once";
       },
       "(gated): gang train of 4: 3 of 4 pods fit at once"},
      {[](model::Pod& pod) {
         pod.gated = true;
         pod.why_gang_waits = "";
       },
       "(gated): it has scheduling gates"},
      {[](model::Pod& pod) {
         pod.scheduling_group = "berth-train";
         pod.why_gang_waits = "gang train of 4: 3 of 4 pods are there";
       },
       "(gated): gang train of 4: 3 of 4 pods are there"},
      {[](model::Pod& pod) {
         pod.unschedulable = "0/9 nodes are available";
         pod.why_gang_waits = "gang train of 4: 3 of 4 pods fit at once";
       },
       "(no_node): no node fits it"},
      {[](model::Pod& pod) { pod.deleted = policies::scheduling::kNow; },
       "(deleted): somebody has deleted it"},
      {[](model::Pod& pod) { pod.scheduler = "default-scheduler"; },
       "(other_scheduler): its scheduler default-scheduler is not in planner.schedulers"},
      {[](model::Pod& pod) { pod.attached_volumes = true; },
       "(left_to_scan, volumes): it needs a volume that may not be attached everywhere. "
       "kube-scheduler alone looks for a node, on samples"},
      {[](model::Pod& pod) { pod.tolerations.assign(95'000, {.op = "Exists"}); },
       "(left_to_scan, too_large): it needs more than the planner keeps of a pod. "
       "kube-scheduler alone looks for a node, on samples"},
  };
  for (const auto& test : cases) {
    model::Pod pod = Waiting();
    test.change(pod);
    EXPECT_THAT(HintsOf(pod), ElementsAre("no node is planned for the pod " + test.hint));
  }
}

TEST(PlanHints, OfABacklogThatIsPlanned) {
  planner::PlannerConfig planner;
  planner.backlog = {true, 30};
  EXPECT_THAT(HintsOf(Waiting(), planner),
              ElementsAre("no node is planned for the pod (head or queued): kube-scheduler has not "
                          "tried it. The planner looks for a node once it was refused, or while "
                          "30 others wait before it"));
}

TEST(PlanHints, OfPodsThatWereRefusedAlthoughNodesFit) {
  const struct {
    model::StringMap annotations;
    std::string hint;
  } cases[] = {
      {{},
       "(no_node): kube-scheduler has refused it, and the planner found no node that fits and has "
       "room; when there is one, it follows within a second"},
      {{{"berth.dev/plan", "n1"}, {"berth.dev/plan-for", "rescue"}},
       "(backing_off or no_node): kube-scheduler did not take n1, which the planner had nominated. "
       "It looks again after 10 s to 5 min, at other nodes first"},
  };
  for (const auto& test : cases) {
    Explanation explanation;
    explanation.requests = {{"nvidia.com/gpu", 1}};
    explanation.fitting = 3;
    model::Pod pod = Waiting();
    pod.unschedulable = "0/9 nodes are available";
    pod.annotations = test.annotations;
    AddPlanHints(pod, {}, "berth.dev", explanation);
    EXPECT_THAT(explanation.hints, ElementsAre("no node is planned for the pod " + test.hint));
  }
}

TEST(PlanHints, AreOfPodsThatWait) {
  model::Pod bound = Waiting();
  bound.node_name = "n1";
  EXPECT_THAT(HintsOf(bound), IsEmpty());
  model::Pod ended = Waiting();
  ended.terminated = true;
  EXPECT_THAT(HintsOf(ended), IsEmpty());
  model::Pod template_of_a_job = Waiting();
  template_of_a_job.uid.clear();
  EXPECT_THAT(HintsOf(template_of_a_job), IsEmpty());
}

TEST(PlanHints, AreOfPodsThatAskForAccelerators) {
  Explanation explanation;
  AddPlanHints(Waiting(), {}, "berth.dev", explanation);
  EXPECT_THAT(explanation.hints, IsEmpty());
}

TEST(PlanHints, WithoutThePlannerTellOfNominationsAlone) {
  const planner::PlannerConfig off{.schedulers = {}};
  model::Pod pod = Waiting();
  EXPECT_THAT(HintsOf(pod, off), IsEmpty());
  pod.nominated_node = "n1";
  EXPECT_EQ(HintsOf(pod, off).size(), 1U);
}

}  // namespace
}  // namespace berth::placement
