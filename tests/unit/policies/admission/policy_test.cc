#include "policies/admission/policy.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/policies/admission/fixtures.h"

namespace berth::admission {
namespace {

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

TEST(AsksForAcceleratorsTest, CountsLimitsAndRequestsAboveZeroOfEveryContainer) {
  EXPECT_TRUE(AsksForAccelerators(GpuPod().pod, Catalog()));
  EXPECT_TRUE(AsksForAccelerators(GpuPod("1", kMnCore).pod, Catalog()));
  EXPECT_FALSE(AsksForAccelerators(GpuPod("0").pod, Catalog()));
  EXPECT_FALSE(AsksForAccelerators(GpuPod("1", "amd.com/gpu").pod, Catalog()));
  EXPECT_FALSE(AsksForAccelerators(MakePod({}).pod, Catalog()));
  model::Workload requesting = MakePod({MakeContainer("a"), MakeContainer("b")});
  requesting.pod.containers[1].resources.requests["nvidia.com/gpu"] = Q("1");
  EXPECT_TRUE(AsksForAccelerators(requesting.pod, Catalog()));
  EXPECT_TRUE(AsksFor(requesting.pod, kGpu));
  EXPECT_FALSE(AsksFor(requesting.pod, kMnCore));
}

}  // namespace
}  // namespace berth::admission
