#include "policies/admission/policy.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/admission/policies.h"
#include "tests/unit/policies/admission/fixtures.h"

namespace berth::policies::admission {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(FieldTest, PodsAreWhereTheKindHasThem) {
  struct Case {
    std::string kind;
    std::string prefix;
  };
  for (const auto& [kind, prefix] :
       std::vector<Case>{{"Pod", ""},
                         {"Job", "spec.template."},
                         {"CronJob", "spec.jobTemplate.spec.template."},
                         {"Deployment", "spec.template."}}) {
    model::Workload workload = CpuPod();
    workload.kind = kind;
    EXPECT_EQ(PodSpecField(workload), prefix + "spec");
    EXPECT_EQ(PodAnnotationField(workload, "a/b"), prefix + "metadata.annotations[a/b]");
  }
}

TEST(MisplacedAnnotationTest, IsNotedOnWhatMakesPods) {
  const auto notes_on = [](const model::Workload& workload) {
    Remarks remarks;
    NoteIfMisplaced(workload, "berth.dev/checkpoint", remarks);
    return remarks.notes();
  };
  model::Workload job = MakeJob(CpuPod());
  EXPECT_THAT(notes_on(job), IsEmpty());
  job.annotations = {{"berth.dev/checkpoint", "true"}};
  EXPECT_THAT(notes_on(job),
              ElementsAre("berth.dev/checkpoint works only in spec.template.metadata"));
  // Somebody who writes it in both places has it where it counts.
  EXPECT_THAT(notes_on(Annotated(job, "checkpoint", "true")), IsEmpty());
  EXPECT_THAT(notes_on(Annotated(CpuPod(), "checkpoint", "true")), IsEmpty());
}

TEST(MisplacedAnnotationTest, IsNotedByEveryPolicyThatReadsOne) {
  model::Workload job = MakeJob(CpuPod());
  job.annotations = {{"berth.dev/accelerator-memory", "40Gi"},
                     {"berth.dev/accelerators", "A100"},
                     {"berth.dev/allow-accelerator-nodes", "true"},
                     {"berth.dev/checkpoint", "true"}};
  const std::string says = " works only in spec.template.metadata";
  EXPECT_THAT(Mutate(AcceleratorAffinityPolicy(Context(), {}), job).notes,
              ElementsAre("berth.dev/accelerators" + says));
  EXPECT_THAT(Mutate(AcceleratorMemoryPolicy(Context(), {}), job).notes,
              ElementsAre("berth.dev/accelerator-memory" + says));
  EXPECT_THAT(Mutate(IsolationPolicy(Context(), {}), job).notes,
              ElementsAre("berth.dev/allow-accelerator-nodes" + says));
  EXPECT_THAT(Mutate(CheckpointPolicy(Context(), {}), job).notes,
              ElementsAre("berth.dev/checkpoint" + says));
}

TEST(AsksForAcceleratorsTest, CountsLimitsAndRequestsAboveZeroOfEveryContainer) {
  EXPECT_TRUE(AsksForAccelerators(GpuPod().pod, Catalog()));
  EXPECT_TRUE(AsksForAccelerators(GpuPod("1", kMnCore).pod, Catalog()));
  EXPECT_FALSE(AsksForAccelerators(GpuPod("0").pod, Catalog()));
  EXPECT_FALSE(AsksForAccelerators(GpuPod("1", "example.com/fpga").pod, Catalog()));
  EXPECT_FALSE(AsksForAccelerators(MakePod({}).pod, Catalog()));
  model::Workload requesting = MakePod({MakeContainer("a"), MakeContainer("b")});
  requesting.pod.containers[1].resources.requests["nvidia.com/gpu"] = Q("1");
  EXPECT_TRUE(AsksForAccelerators(requesting.pod, Catalog()));
  EXPECT_TRUE(AsksFor(requesting.pod, kGpu));
  EXPECT_FALSE(AsksFor(requesting.pod, kMnCore));
}

}  // namespace
}  // namespace berth::policies::admission
