#include "policies/admission/retry_rights.h"

#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/admission/job_retries.h"
#include "tests/unit/policies/admission/job_fixtures.h"

namespace berth::policies::admission {
namespace {

using ::testing::ElementsAre;

JobRetriesPolicy RightsPolicy() { return {Context(), {}}; }

constexpr char kJobSetController[] =
    "system:serviceaccount:jobset-system:jobset-controller-manager";

model::Workload OwnedBy(const char* group, const char* kind, model::Workload job) {
  job.owners = {{.kind = kind, .name = "owner", .controller = true, .group = group}};
  return job;
}

Request RequestFrom(std::string user) {
  Request request = MakeRequest();
  request.user.name = std::move(user);
  return request;
}

bool IsLeftAlone(const model::Workload& job, const Request& request) {
  const Made made = Mutate(RightsPolicy(), job, request);
  EXPECT_EQ(made.holds, made.writes > 0);
  EXPECT_EQ(RightsPolicy().Judge(request, job).empty(), made.writes == 0);
  return made.writes == 0;
}

// A launcher whose workers are not there yet fails, and starts again in place.
TEST(RetryRightsTest, JobsOfOperatorsThatRestartThemKeepTheirRetries) {
  const model::Workload job = Restarting(LimitedGpuJob(), "OnFailure");
  const Request request = RequestFrom(kJobSetController);
  EXPECT_TRUE(IsLeftAlone(OwnedBy("jobset.x-k8s.io", "JobSet", job), request));
  EXPECT_TRUE(IsLeftAlone(OwnedBy("kubeflow.org", "MPIJob", job), request));
  EXPECT_TRUE(IsLeftAlone(OwnedBy("ray.io", "RayJob", job), request));
  EXPECT_FALSE(IsLeftAlone(OwnedBy("example.org", "JobSet", job), request));
  EXPECT_FALSE(IsLeftAlone(OwnedBy("batch", "CronJob", job), request));
  EXPECT_FALSE(IsLeftAlone(job, request));
}

TEST(RetryRightsTest, AJobThatWasGivenMemoryLimitsIsLeftAloneFromThenOn) {
  const model::Workload job =
      OwnedBy("kubeflow.org", "MPIJob", MakeJob(MakePod({Sized("a", "1", "1Gi")})));
  EXPECT_FALSE(Mutate(RightsPolicy(), job, RequestFrom(kJobSetController)).holds);
}

// Anybody can write an owner into a manifest.
TEST(RetryRightsTest, AnOwnerCountsOnlyFromWhereOperatorsAre) {
  const model::Workload job = OwnedBy("jobset.x-k8s.io", "JobSet", LimitedGpuJob());
  EXPECT_FALSE(IsLeftAlone(job, RequestFrom("alice")));
  EXPECT_FALSE(IsLeftAlone(job, RequestFrom("system:serviceaccount:team:runner")));
  EXPECT_TRUE(IsLeftAlone(job, RequestFrom("system:serviceaccount:team-2:runner")));
  Request configured = RequestFrom("system:serviceaccount:team:jobset");
  configured.controller = "JobSet";
  EXPECT_TRUE(IsLeftAlone(job, configured));
  configured.controller = "CronJob";
  EXPECT_FALSE(IsLeftAlone(job, configured));
  model::Workload another = job;
  another.owners[0].controller = false;
  EXPECT_FALSE(IsLeftAlone(another, RequestFrom(kJobSetController)));
}

TEST(RetryRightsTest, WithoutMemoryLimitsNobodysRetriesAreKept) {
  const model::Workload owned = OwnedBy("jobset.x-k8s.io", "JobSet", UnlimitedJob());
  EXPECT_EQ(
      Mutate(RightsPolicy(), owned, RequestFrom(kJobSetController)).workload.job->backoff_limit, 0);
  Request allowed = MakeRequest();
  allowed.own_retries_allowed = true;
  const Made own = Mutate(RightsPolicy(), Annotated(UnlimitedJob(), "retries", "own"), allowed);
  EXPECT_EQ(own.workload.job->backoff_limit, 0);
  EXPECT_THAT(own.notes, ElementsAre("berth.dev/retries has no effect: it requires memory limits "
                                     "in every container"));
}

TEST(RetryRightsTest, AJobMayKeepItsOwnRetriesWhereThatIsAllowed) {
  Request allowed = MakeRequest();
  allowed.own_retries_allowed = true;
  const model::Workload by_pods = Annotated(LimitedGpuJob(), "retries", "own");
  model::Workload by_job = LimitedGpuJob();
  by_job.annotations = {{"berth.dev/retries", "own"}};
  for (const model::Workload& job : {by_pods, by_job}) {
    EXPECT_TRUE(IsLeftAlone(job, allowed));
    EXPECT_FALSE(IsLeftAlone(job, MakeRequest()));
    EXPECT_THAT(Mutate(RightsPolicy(), job).notes,
                ElementsAre("berth.dev/retries has no effect: admission.ownRetries does not list "
                            "the namespace"));
  }
  const model::Workload mistyped = Annotated(LimitedGpuJob(), "retries", "mine");
  EXPECT_FALSE(IsLeftAlone(mistyped, allowed));
  EXPECT_THAT(Mutate(RightsPolicy(), mistyped, allowed).notes,
              ElementsAre("berth.dev/retries has no effect: its only value is own"));
}

// The CronJob's own annotations are not those of its Jobs.
TEST(RetryRightsTest, ACronJobAsksForItsJobsInTheirTemplate) {
  Request allowed = MakeRequest();
  allowed.own_retries_allowed = true;
  model::Workload cron = MakeOwner("CronJob", LimitedGpuJob());
  EXPECT_TRUE(IsLeftAlone(Annotated(cron, "retries", "own"), allowed));
  cron.annotations = {{"berth.dev/retries", "own"}};
  EXPECT_FALSE(IsLeftAlone(cron, allowed));
  EXPECT_THAT(
      Mutate(RightsPolicy(), cron, allowed).notes,
      ElementsAre("berth.dev/retries works only in spec.jobTemplate.spec.template.metadata"));
}

TEST(RetryRightsTest, AnOwnersKindIsWrittenWithItsGroup) {
  EXPECT_TRUE(IsKindOfGroup("jobset.x-k8s.io/JobSet"));
  for (const char* wrong : {"", "JobSet", "/JobSet", "jobset.x-k8s.io/", "a/v1/JobSet", "A B/C"}) {
    EXPECT_FALSE(IsKindOfGroup(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace berth::policies::admission
