#include "policies/admission/job.h"

#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "tests/unit/policies/admission/fixtures.h"

namespace berth::policies::admission {
namespace {

TEST(JobTest, IsRunByKubernetesUnlessItNamesAnother) {
  EXPECT_TRUE(IsRunByKubernetes({}));
  EXPECT_TRUE(IsRunByKubernetes({.managed_by = "kubernetes.io/job-controller"}));
  EXPECT_FALSE(IsRunByKubernetes({.managed_by = "kueue.x-k8s.io/multikueue"}));
  EXPECT_FALSE(IsRunByKubernetes({.managed_by = "job-controller"}));
}

TEST(JobTest, RunsAsManyPodsAtOnceAsItMayAndNeeds) {
  EXPECT_EQ(PodsAtOnce({}), 1);
  EXPECT_EQ(PodsAtOnce({.parallelism = 8}), 8);
  EXPECT_EQ(PodsAtOnce({.parallelism = 8, .completions = 3}), 3);
  EXPECT_EQ(PodsAtOnce({.parallelism = 3, .completions = 8}), 3);
  EXPECT_EQ(PodsAtOnce({.parallelism = 0, .completions = 0}), 1);
  EXPECT_EQ(PodsAtOnce({.parallelism = -1}), 1);
  EXPECT_EQ(PodsAtOnce({.parallelism = 9'000'000'000}), 2147483647);
}

TEST(JobTest, ItsSpecIsWhereItsKindHasIt) {
  EXPECT_EQ(JobSpecField(MakeJob(CpuPod())), "spec");
  EXPECT_EQ(JobSpecField(MakeOwner("CronJob", CpuPod())), "spec.jobTemplate.spec");
}

TEST(JobTest, IsMarkedByTheExactAnnotationAlone) {
  const std::string annotation = "a.example.org/retryless";
  EXPECT_FALSE(IsMarkedRetryless({}, annotation));
  for (const auto& [value, marked] :
       {std::pair{"true", true}, {"True", false}, {"false", false}, {"", false}}) {
    EXPECT_EQ(IsMarkedRetryless({.annotations = {{annotation, value}}}, annotation), marked);
  }
  EXPECT_FALSE(IsMarkedRetryless({.annotations = {{"berth.dev/retryless", "true"}}}, annotation));
}

}  // namespace
}  // namespace berth::policies::admission
