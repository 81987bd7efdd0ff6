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

TEST(PlanHints, WhyNoNodeIsNominated) {
  const struct {
    std::function<void(model::Pod&)> change;
    std::string hint;
  } cases[] = {
      {[](model::Pod&) {},
       "no node is planned for the pod yet: the planner looks for one when kube-scheduler has "
       "refused the pod, or 20 others wait before it"},
      {[](model::Pod& pod) { pod.gated = true; },
       "the pod has scheduling gates: no node is planned for it yet"},
      {[](model::Pod& pod) { pod.scheduler = "default-scheduler"; },
       "no node is planned for the pod: its scheduler default-scheduler is not in "
       "planner.schedulers"},
      {[](model::Pod& pod) { pod.attached_volumes = true; },
       "no node is planned for the pod, because it needs a volume that may not be attached "
       "everywhere: kube-scheduler alone looks for one, on a sample of the nodes"},
  };
  for (const auto& test : cases) {
    model::Pod pod = Waiting();
    test.change(pod);
    EXPECT_THAT(HintsOf(pod), ElementsAre(test.hint));
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
