#include "policies/admission/kept.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/admission/config.h"
#include "tests/unit/policies/admission/engine_fixtures.h"

// Updates as the API server shows them: what is stored, with what a manifest says put over it.
namespace berth::policies::admission {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const AdmissionEngine& Engine() {
  static const auto engine = MakeEngine(AdmissionConfig());
  return *engine;
}

/// The object as it is read once it is stored: failure rules have places.
model::Workload Stored(model::Workload workload) {
  if (!workload.job || !workload.job->failure_rules) return workload;
  std::size_t place = 0;
  for (model::FailureRule& rule : *workload.job->failure_rules) rule.written_at = place++;
  return workload;
}

/// What is stored when alice creates the object.
model::Workload Created(const model::Workload& manifest) {
  return Stored(Engine().Mutate(MakeRequest(), manifest).workload);
}

Request UpdateBy(std::string user) {
  Request request = MakeRequest();
  request.operation = Operation::kUpdate;
  request.user.name = std::move(user);
  return request;
}

Outcome Keep(const model::Workload& update, const model::Workload& stored,
             const std::string& user = "alice") {
  return Engine().Keep(UpdateBy(user), update, stored);
}

/// Of a Job whose author sets no limits but all that decides about retries.
model::Workload BareJob() {
  model::Workload job = MakeJob(CpuPod());
  job.job->backoff_limit = 100;
  job.pod.restart_policy = "OnFailure";
  return job;
}

/// What the manifest of BareJob() makes of the stored Job when it is applied again.
model::Workload BareJobAgain(model::Workload stored) {
  stored.job->backoff_limit = 100;
  stored.pod.restart_policy = "OnFailure";
  return stored;
}

TEST(KeepTest, AManifestThatIsAppliedAgainChangesNothing) {
  const model::Workload stored = Created(BareJob());
  ASSERT_EQ(stored.job->backoff_limit, 20);
  const Outcome outcome = Keep(BareJobAgain(stored), stored);
  EXPECT_EQ(Stored(outcome.workload), stored);
  EXPECT_THAT(
      outcome.warnings,
      ElementsAre("berth: spec.template.spec.restartPolicy stays Never; write that in the manifest",
                  "berth: spec.backoffLimit stays 20; write that in the manifest"));
  EXPECT_THAT(outcome.denial, IsEmpty());
}

TEST(KeepTest, DoesNotMatterWhoAppliesIt) {
  const model::Workload stored = Created(BareJob());
  const Outcome outcome = Keep(BareJobAgain(stored), stored, "argocd");
  EXPECT_EQ(Stored(outcome.workload), stored);
}

TEST(KeepTest, KeepsTheCreatorWhomAManifestContradicts) {
  for (const model::Workload& manifest : {BareJob(), CpuPod()}) {
    const model::Workload stored = Created(manifest);
    model::Workload update = stored;
    for (model::StringMap* annotations : {&update.annotations, &update.pod.annotations}) {
      for (auto& [key, value] : *annotations) {
        if (key == "berth.dev/created-by") value = "mallory";
      }
    }
    const Outcome outcome = Keep(update, stored, "mallory");
    EXPECT_EQ(Stored(outcome.workload), stored);
    EXPECT_THAT(outcome.warnings,
                Contains(HasSubstr("metadata.annotations[berth.dev/created-by] stays alice")));
  }
}

TEST(KeepTest, KeepsRequestsThatWereRaised) {
  model::Container container = MakeContainer("main", Resources({{"cpu", "2"}, {"memory", "2Gi"}}));
  container.resources.requests.insert_or_assign("memory", Q("1Gi"));
  for (const model::Workload& manifest : {MakePod({container}), MakeJob(MakePod({container}))}) {
    const model::Workload stored = Created(manifest);
    model::Workload update = stored;
    update.pod.containers[0].resources.requests.insert_or_assign("memory", Q("1Gi"));
    const Outcome outcome = Keep(update, stored);
    EXPECT_EQ(Stored(outcome.workload), stored);
    EXPECT_THAT(outcome.warnings,
                ElementsAre(HasSubstr("containers[0].resources.requests.memory stays 2Gi")));
  }
}

// The terms of an affinity are one list, which a manifest replaces as a whole. Isolation leaves
// pods alone that are bound, but it did not when the pod was created.
TEST(KeepTest, KeepsTheAffinityOfAPodThatIsBoundByNow) {
  model::Workload manifest = CpuPod();
  manifest.pod.node_terms = {{.expressions = {{.key = "zone", .op = "In", .values = {"a"}}}}};
  model::Workload stored = Created(manifest);
  stored.pod.node_name = "cpu-001";
  ASSERT_NE(stored.pod.node_terms, manifest.pod.node_terms);
  model::Workload update = stored;
  update.pod.node_terms = manifest.pod.node_terms;
  EXPECT_EQ(Keep(update, stored).workload, stored);
}

TEST(KeepTest, KeepsTheRulesBesideThoseOfTheManifest) {
  model::Workload manifest = MakeJob(GpuPod());
  manifest.job->failure_rules = {
      {.action = "FailJob", .exit_code_op = "In", .exit_codes = {42}, .written_at = 0}};
  const model::Workload stored = Created(manifest);
  ASSERT_GT(stored.job->failure_rules->size(), 1u);
  model::Workload update = stored;
  update.job->failure_rules = manifest.job->failure_rules;
  const Outcome outcome = Keep(update, stored);
  EXPECT_EQ(Stored(outcome.workload), stored);
  EXPECT_THAT(outcome.warnings,
              ElementsAre(HasSubstr("spec.podFailurePolicy.rules stays as it is stored")));
}

// Which decide how many retries are enough.
TEST(KeepTest, KeepsTheLimitOfAJobThatIsScaledOrStarted) {
  model::Workload manifest = MakeJob(GpuPod());
  manifest.job->parallelism = 2;
  for (const bool queued : {false, true}) {
    manifest.job->queued = queued;
    const model::Workload stored = Created(manifest);
    model::Workload update = stored;
    update.job->backoff_limit = 6;
    update.job->queued = false;
    update.job->parallelism = 4;
    EXPECT_EQ(Keep(update, stored).workload.job->backoff_limit, stored.job->backoff_limit);
    // When it runs, nothing shows that it was suspended.
    model::Workload running = stored;
    running.job->queued = false;
    EXPECT_EQ(Keep(update, running).workload.job->backoff_limit, stored.job->backoff_limit);
  }
}

// Without retries there is no rule that shows what Berth has done to the Job.
TEST(KeepTest, KeepsTheRestartPolicyOfAJobWithoutRetries) {
  model::Workload manifest = BareJob();
  manifest.job->backoff_limit = 0;
  model::Container requesting = MakeContainer("main");
  requesting.resources.requests.insert_or_assign("memory", Q("1Gi"));
  for (const model::Container& container : {MakeContainer("main"), requesting}) {
    manifest.pod.containers = {container};
    const model::Workload stored = Created(manifest);
    ASSERT_EQ(stored.pod.restart_policy, "Never");
    model::Workload update = stored;
    update.pod.restart_policy = "OnFailure";
    EXPECT_EQ(Stored(Keep(update, stored).workload), stored);
  }
}

TEST(KeepTest, LeavesToTheApiServerWhatItsAuthorChanges) {
  const model::Workload stored = Created(BareJob());
  model::Workload update = stored;
  update.pod.containers[0].resources = Resources({{"cpu", "3"}, {"memory", "5Gi"}});
  update.pod.containers[0].resources.requests.insert_or_assign("memory", Q("1Gi"));
  const Outcome outcome = Keep(update, stored);
  EXPECT_EQ(outcome.workload, update);
  EXPECT_THAT(outcome.warnings, IsEmpty());
}

TEST(KeepTest, KeepsTheRestBesideWhatItsAuthorChanges) {
  const model::Workload stored = Created(BareJob());
  model::Workload update = BareJobAgain(stored);
  update.pod.node_selector = {{"zone", "a"}};  // as in a Job that is suspended
  model::Workload wanted = stored;
  wanted.pod.node_selector = update.pod.node_selector;
  EXPECT_EQ(Stored(Keep(update, stored).workload), wanted);
}

// Its author set limits, so the number of retries is the author's.
TEST(KeepTest, LetsAuthorsChangeWhatBerthLeftToThem) {
  const auto container = MakeContainer("main", Resources({{"cpu", "2"}, {"memory", "2Gi"}}));
  model::Workload manifest = MakeJob(MakePod({container}));
  manifest.job->backoff_limit = 0;
  const model::Workload stored = Created(manifest);
  model::Workload update = stored;
  update.job->backoff_limit = 4;
  EXPECT_EQ(Keep(update, stored).workload, update);
}

TEST(KeepTest, ChangesNothingThatIsStoredOtherwise) {
  const model::Workload stored = BareJob();  // from a time without Berth
  model::Workload update = stored;
  update.job->backoff_limit = 7;
  update.annotations = {{"berth.dev/applied", "job-retries 1.2.3"}};
  const Outcome outcome = Keep(update, stored);
  EXPECT_EQ(outcome.workload, update);
  EXPECT_THAT(outcome.warnings, IsEmpty());
}

TEST(KeepTest, ChangesNothingInWarn) {
  const model::Workload stored = Created(BareJob());
  Request request = UpdateBy("alice");
  request.mode = Mode::kWarn;
  const Outcome outcome = Engine().Keep(request, BareJobAgain(stored), stored);
  EXPECT_EQ(outcome.workload, BareJobAgain(stored));
  EXPECT_THAT(outcome.warnings, IsEmpty());
}

TEST(KeepTest, SaysNothingOfAnUpdateThatUndoesNothing) {
  const model::Workload stored = Created(BareJob());
  const Outcome outcome = Keep(stored, stored, "kueue");
  EXPECT_EQ(outcome.workload, stored);
  EXPECT_THAT(outcome.warnings, IsEmpty());
}

TEST(WasAppliedTest, TakesWholeNames) {
  Request request;
  EXPECT_FALSE(WasApplied("job-retries", request));
  for (const char* text :
       {"job-retries 1.0", "creator,job-retries 1.0", "job-retries,creator 1", "job-retries"}) {
    request.applied = text;
    EXPECT_TRUE(WasApplied("job-retries", request)) << text;
  }
  for (const char* text : {"job-retries-2 1.0", "no-job-retries 1", "creator job-retries", ",,"}) {
    request.applied = text;
    EXPECT_FALSE(WasApplied("job-retries", request)) << text;
  }
}

}  // namespace
}  // namespace berth::policies::admission
