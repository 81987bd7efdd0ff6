#include "policies/admission/job_retries.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/admission/guaranteed_qos.h"
#include "tests/unit/policies/admission/job_fixtures.h"

namespace berth::policies::admission {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Texts = std::vector<std::string>;

JobRetriesPolicy RetriesPolicy(JobRetriesConfig config = {}) { return {Context(), config}; }

const std::string kCounted = "Count DisruptionTarget";
const std::string kFails = "FailJob NotIn 0";
const std::string kNoLimit =
    "backoffLimit set to 0: a Job that sets no memory limit may fail on node after node";
const std::string kOwn =
    "own failures end the Job: what fails on one accelerator would fail on the next";
const std::string kTogether = ": so many disruptions are retried, of all pods together";

std::string Retried(int times) {
  return "podFailurePolicy retries pods that are drained, preempted or evicted, " +
         std::to_string(times) + " times at most";
}

struct RetryCase {
  std::string name;
  model::Workload job;
  std::int64_t limit;
  Texts rules;
  Texts changes;
  Texts notes = {};
};

std::int64_t LimitOf(const model::JobSpec& job) {
  return job.backoff_limit_per_index.value_or(job.backoff_limit);
}

void ExpectSettled(const JobRetriesPolicy& policy, const Made& made, const std::string& name) {
  EXPECT_THAT(policy.Judge(MakeRequest(), made.workload), IsEmpty()) << name;
  const Made again = Mutate(policy, made.workload);
  EXPECT_EQ(again.writes, 0u) << name;
  EXPECT_EQ(again.holds, made.holds) << name;
}

// What comes of each case; that it is what the API server takes, and left alone from then on.
void ExpectRetries(const JobRetriesPolicy& policy, const std::vector<RetryCase>& cases) {
  for (const RetryCase& c : cases) {
    const Made made = Mutate(policy, c.job);
    const model::JobSpec& job = *made.workload.job;
    EXPECT_EQ(LimitOf(job), c.limit) << c.name;
    EXPECT_EQ(RulesOf(made.workload), c.rules) << c.name;
    EXPECT_EQ(made.changes, c.changes) << c.name;
    EXPECT_EQ(made.notes, c.notes) << c.name;
    EXPECT_EQ(made.workload.pod.restart_policy, "Never") << c.name;
    EXPECT_EQ(job.pod_replacement_policy, job.failure_rules ? "Failed" : "TerminatingOrFailed")
        << c.name;
    EXPECT_TRUE(made.holds) << c.name;
    ExpectSettled(policy, made, c.name);
  }
}

TEST(JobRetriesTest, EndsJobsWithoutMemoryLimitsAtTheirFirstFailure) {
  const model::Workload job = UnlimitedJob();
  const std::string end = " 0: a Job that sets no memory limit may fail on node after node";
  ExpectRetries(
      RetriesPolicy(),
      {{"the default", job, 0, {}, {kNoLimit}},
       {"nothing to retry", WithBackoff(job, 0), 0, {}, {}},
       {"an explicit limit", WithBackoff(job, 3), 0, {}, {"backoffLimit 3 set to" + end}},
       {"restarts in place",
        Restarting(WithBackoff(job, 0), "OnFailure"),
        0,
        {},
        {"restartPolicy OnFailure set to Never: the Job decides whether a failure is retried"}},
       {"a zero limit", MakeJob(MakePod({Sized("a", "1", "0")})), 0, {}, {kNoLimit}},
       {"a memory request alone", MakeJob(MakePod({Sized("a", "1", "1Gi/-")})), 0, {}, {kNoLimit}},
       {"one init container",
        MakeJob(MakePod({Init(Sized("i", "1", "-")), Sized("a", "1", "1Gi")})),
        0,
        {},
        {kNoLimit}},
       {"indexed", PerIndex(job, 5), 0, {}, {"backoffLimitPerIndex 5 set to" + end}},
       {"a mild rule",
        WithRules(job, {OnExitCodes("FailJob", "In", {1})}),
        0,
        {"FailJob In 1"},
        {kNoLimit}},
       {"the second of two rules",
        WithRules(job, {OnExitCodes("FailJob", "In", {1}), OnExitCodes("Ignore", "In", {42})}),
        0,
        {"FailJob In 1", "Count In 42"},
        {"podFailurePolicy.rules[1] set to Count: a pod out of memory is not retried", kNoLimit}},
       {"rules that ignore",
        WithRules(job, {Disruption("Ignore"), OnExitCodes("Ignore", "In", {42}),
                        OnConditions("Ignore", {"Other"})}),
        0,
        {"Count DisruptionTarget", "Count In 42", "Count Other"},
        {"podFailurePolicy.rules[0] and 2 more set to Count: a pod out of memory is not retried",
         kNoLimit}}});
}

TEST(JobRetriesTest, RetriesDisruptedPodsAsOftenAsBackoffLimitSaysWhereMemoryIsLimited) {
  const model::Workload job = LimitedGpuJob();
  model::Workload claiming = MakeJob(MakePod({Sized("a", "1", "1Gi")}));
  claiming.pod.has_claims = true;
  model::Workload whole = MakeJob(GpuPod());
  whole.pod.resources = Sizes("1", "1Gi");
  const std::string none =
      "backoffLimit is 0: a pod that is drained, preempted or evicted is not "
      "retried";
  ExpectRetries(
      RetriesPolicy(),
      {{"the default", job, 6, {kCounted, kFails}, {Retried(6), kOwn}},
       {"fewer", WithBackoff(job, 2), 2, {kCounted, kFails}, {Retried(2), kOwn}},
       {"none", WithBackoff(job, 0), 0, {}, {}, {none}},
       {"too many",
        WithBackoff(job, 50),
        20,
        {kCounted, kFails},
        {Retried(20), kOwn, "backoffLimit 50 set to 20" + kTogether}},
       {"claims", claiming, 6, {kCounted, kFails}, {Retried(6), kOwn}},
       {"a limit of the whole pod", whole, 6, {kCounted, kFails}, {Retried(6), kOwn}},
       {"indexed",
        PerIndex(job, 5),
        5,
        {kCounted, "FailIndex NotIn 0"},
        {Retried(5),
         "own failures end the index: what fails on one accelerator would fail on the next"}},
       {"restarts in place",
        Restarting(job, "OnFailure"),
        6,
        {kCounted, kFails},
        {Retried(6), kOwn,
         "restartPolicy OnFailure set to Never: the Job decides whether a failure is retried"}}});
}

TEST(JobRetriesTest, KeepsRulesThatEndWhatFailsByItself) {
  const model::Workload job = LimitedGpuJob();
  const std::string corrected = " set to FailJob: a pod out of memory is not retried";
  ExpectRetries(
      RetriesPolicy(),
      {{"an empty policy", WithRules(job, {}), 6, {kCounted, kFails}, {Retried(6), kOwn}},
       {"rules of its own",
        WithRules(job, {OnExitCodes("FailJob", "In", {1})}),
        6,
        {kCounted, "FailJob In 1", kFails},
        {Retried(6), kOwn}},
       {"its own rule for disruptions",
        WithRules(job, {Disruption("FailJob")}),
        6,
        {"FailJob DisruptionTarget", kFails},
        {kOwn}},
       {"the rules already",
        WithRules(WithBackoff(job, 3), {Disruption("Count"), OnExitCodes("FailJob", "NotIn", {0})}),
        3,
        {kCounted, kFails},
        {}},
       {"ignored exit codes",
        WithRules(job, {OnExitCodes("Ignore", "In", {137})}),
        6,
        {kCounted, "FailJob In 137", kFails},
        {"podFailurePolicy.rules[0]" + corrected, Retried(6), kOwn}},
       {"counted exit codes",
        WithRules(job, {OnExitCodes("Count", "In", {255})}),
        6,
        {kCounted, "FailJob In 255", kFails},
        {"podFailurePolicy.rules[0]" + corrected, Retried(6), kOwn}},
       {"a rule that ignores every failure",
        WithRules(job, {OnConditions("Ignore", {"DisruptionTarget", "Ready"})}),
        6,
        {kCounted, "FailJob DisruptionTarget Ready", kFails},
        {"podFailurePolicy.rules[0]" + corrected, Retried(6), kOwn}}});
}

// kubelet also evicts who fills its disk, and would do so on node after node.
TEST(JobRetriesTest, RetriesOfDisruptionsHaveAnEnd) {
  const model::Workload job = LimitedGpuJob();
  const std::string end =
      "podFailurePolicy.rules[0] set to Count: retries of disruptions need an end";
  ExpectRetries(
      RetriesPolicy(),
      {{"ignored disruptions",
        WithRules(WithBackoff(job, 0), {Disruption("Ignore")}),
        20,
        {kCounted, kFails},
        {end, kOwn, "backoffLimit 0 set to 20" + kTogether}},
       {"ignored disruptions, and what is nobody's business",
        WithRules(WithBackoff(job, 2), {OnConditions("Ignore", {"DisruptionTarget", "Other"}),
                                        OnConditions("Ignore", {"GPUFellOff"})}),
        20,
        {"Count DisruptionTarget Other", "Ignore GPUFellOff", kFails},
        {end, kOwn, "backoffLimit 2 set to 20" + kTogether}},
       {"ignored disruptions of indexes",
        WithRules(PerIndex(job, 0), {Disruption("Ignore")}),
        20,
        {kCounted, "FailIndex NotIn 0"},
        {end, "own failures end the index: what fails on one accelerator would fail on the next",
         "backoffLimitPerIndex 0 set to 20" + kTogether}}});
}

model::Workload Parallel(model::Workload job, std::int64_t parallelism,
                         std::optional<std::int64_t> completions = std::nullopt) {
  job.job->parallelism = parallelism;
  job.job->completions = completions;
  return job;
}

// A node that is drained disrupts all pods that it runs.
TEST(JobRetriesTest, EveryPodThatRunsAtTheSameTimeMayBeDisrupted) {
  const model::Workload job = LimitedGpuJob();
  const std::vector<std::string> rules = {kCounted, kFails};
  ExpectRetries(
      RetriesPolicy(),
      {{"the default",
        Parallel(job, 8, 8),
        48,
        rules,
        {Retried(48), kOwn, "backoffLimit set to 48" + kTogether}},
       {"more than are needed",
        Parallel(job, 8, 2),
        12,
        rules,
        {Retried(12), kOwn, "backoffLimit set to 12" + kTogether}},
       {"one after the other", Parallel(job, 1, 8), 6, rules, {Retried(6), kOwn}},
       {"none for now", Parallel(job, 0), 6, rules, {Retried(6), kOwn}},
       {"a number of its own",
        Parallel(WithBackoff(job, 100), 8),
        100,
        rules,
        {Retried(100), kOwn}},
       {"too many",
        Parallel(WithBackoff(job, 1000), 8),
        160,
        rules,
        {Retried(160), kOwn, "backoffLimit 1000 set to 160" + kTogether}},
       {"more than there can be",
        Parallel(WithBackoff(job, 2147483647), 9223372036854775807),
        2147483647,
        rules,
        {Retried(2147483647), kOwn}},
       {"of an index",
        Parallel(PerIndex(job, 50), 8, 8),
        20,
        {kCounted, "FailIndex NotIn 0"},
        {Retried(20),
         "own failures end the index: what fails on one accelerator would fail on the next",
         "backoffLimitPerIndex 50 set to 20" + kTogether}}});
}

TEST(JobRetriesTest, ASiteSaysHowManyDisruptionsAreRetried) {
  const model::Workload job = LimitedGpuJob();
  ExpectRetries(RetriesPolicy({.disruption_retries = 3}),
                {{"the default", Parallel(job, 2), 6, {kCounted, kFails}, {Retried(6), kOwn}},
                 {"of one pod",
                  job,
                  3,
                  {kCounted, kFails},
                  {Retried(3), kOwn, "backoffLimit set to 3" + kTogether}}});
  ExpectRetries(RetriesPolicy({.disruption_retries = 0}),
                {{"the default",
                  job,
                  0,
                  {},
                  {"backoffLimit set to 0: what fails on one accelerator would fail on the next"},
                  {}},
                 {"ignored disruptions",
                  WithRules(job, {Disruption("Ignore")}),
                  0,
                  {kCounted},
                  {"podFailurePolicy.rules[0] set to Count: retries of disruptions need an end",
                   "backoffLimit set to 0: what fails on one accelerator would fail on the next"},
                  {}}});
}

model::Workload Queued(model::Workload job) {
  job.job->queued = true;
  return job;
}

// Its pods end by SIGTERM when it is suspended, and a rule that fails on exit codes would see them.
TEST(JobRetriesTest, AJobThatAQueueMaySuspendHasNoRuleThatFailsIt) {
  const model::Workload job = Queued(LimitedGpuJob());
  const std::string ignored = "Ignore DisruptionTarget";
  const std::string retried =
      "podFailurePolicy retries pods that are drained, preempted or evicted";
  const std::string once = " 0: what fails on one accelerator would fail on the next";
  ExpectRetries(
      RetriesPolicy({.infrastructure_retries = 2}),
      {{"the default", job, 0, {ignored}, {retried, "backoffLimit set to" + once}},
       {"fewer", WithBackoff(job, 2), 0, {ignored}, {retried, "backoffLimit 2 set to" + once}},
       {"none", WithBackoff(job, 0), 0, {ignored}, {retried}},
       {"the rule already",
        WithRules(WithBackoff(job, 0), {Disruption("Ignore")}),
        0,
        {ignored},
        {}},
       {"a rule of its own that fails",
        WithRules(WithBackoff(job, 2), {OnExitCodes("FailJob", "NotIn", {0})}),
        2,
        {kCounted, kFails},
        {Retried(2)}},
       {"ignored exit codes",
        WithRules(job, {OnExitCodes("Ignore", "In", {137})}),
        0,
        {ignored, "Count In 137"},
        {"podFailurePolicy.rules[0] set to Count: a pod out of memory is not retried", retried,
         "backoffLimit set to" + once}},
       {"no limits",
        Queued(UnlimitedJob()),
        0,
        {},
        {kNoLimit},
        {"no infrastructureRetries: they require limits in every container"}}});
  ExpectRetries(
      RetriesPolicy(),
      {{"per index",
        PerIndex(job, 5),
        5,
        {kCounted, "FailIndex NotIn 0"},
        {Retried(5),
         "own failures end the index: what fails on one accelerator would fail on the next"}}});
}

// It is no longer suspended then, and nobody may keep it from running.
TEST(JobRetriesTest, AQueueMayStartAJob) {
  Request update = MakeRequest();
  update.operation = Operation::kUpdate;
  model::Workload job = Mutate(RetriesPolicy(), Queued(LimitedGpuJob())).workload;
  job.job->queued = false;
  EXPECT_THAT(RetriesPolicy().Judge(update, job), IsEmpty());
}

model::Workload Succeeding(model::Workload job, std::int64_t completions) {
  job.job->has_success_policy = true;
  return Parallel(std::move(job), completions, completions);
}

// Without limits per index the first index that fails would end the Job.
TEST(JobRetriesTest, AnIndexMayFailWhereOthersMeetTheSuccessPolicy) {
  const model::Workload job = LimitedGpuJob();
  const std::vector<std::string> rules = {kCounted, "FailIndex NotIn 0"};
  const std::string own =
      "own failures end the index: what fails on one accelerator would fail on the next";
  const std::string why = " replaces backoffLimit: other indexes may still meet successPolicy";
  ExpectRetries(
      RetriesPolicy(),
      {{"the default",
        Succeeding(job, 10),
        6,
        rules,
        {"backoffLimitPerIndex 6" + why, Retried(6), own}},
       {"a number of its own",
        Succeeding(WithBackoff(job, 2), 10),
        2,
        rules,
        {"backoffLimitPerIndex 2" + why, Retried(2), own}},
       {"a limit per index", Succeeding(PerIndex(job, 2), 10), 2, rules, {Retried(2), own}},
       {"no limits", Succeeding(UnlimitedJob(), 10), 0, {}, {kNoLimit}},
       {"queued, and none",
        Queued(Succeeding(WithBackoff(job, 0), 10)),
        0,
        {"Ignore DisruptionTarget"},
        {"podFailurePolicy retries pods that are drained, preempted or evicted"}},
       {"more indexes than Kubernetes takes with such a limit",
        Succeeding(WithBackoff(job, 3), 100'001),
        3,
        {kCounted, kFails},
        {Retried(3), kOwn}}});
  const Made made = Mutate(RetriesPolicy(), Succeeding(job, 10));
  EXPECT_EQ(made.workload.job->backoff_limit, 2147483647);
  EXPECT_EQ(made.workload.job->backoff_limit_per_index, 6);
  const Made none = Mutate(RetriesPolicy(), Succeeding(WithBackoff(job, 0), 10));
  EXPECT_EQ(none.workload.job->backoff_limit, 0);
  EXPECT_FALSE(none.workload.job->backoff_limit_per_index);
}

TEST(JobRetriesTest, LeavesBackoffLimitAloneWhereIndexesHaveTheirOwn) {
  const Made made = Mutate(RetriesPolicy(), PerIndex(UnlimitedJob(), 5));
  EXPECT_EQ(made.workload.job->backoff_limit, 2147483647);
}

TEST(JobRetriesTest, RetriesFailuresOfTheInfrastructureBesidesWhereConfigured) {
  const model::Workload job = LimitedGpuJob();
  const std::string failing = "FailJob NotIn 255";
  const std::string corrected = " set to FailJob: a pod out of memory is not retried";
  const std::vector<std::string> rules = {kCounted, failing};
  ExpectRetries(
      RetriesPolicy({.disruption_retries = 20, .infrastructure_retries = 2}),
      {{"the default", job, 8, rules, {Retried(8), kOwn, "backoffLimit set to 8" + kTogether}},
       {"fewer", WithBackoff(job, 1), 1, rules, {Retried(1), kOwn}},
       {"more",
        WithBackoff(job, 30),
        22,
        rules,
        {Retried(22), kOwn, "backoffLimit 30 set to 22" + kTogether}},
       {"indexed",
        PerIndex(job, 5),
        5,
        {kCounted, "FailIndex NotIn 255"},
        {Retried(5),
         "own failures end the index: what fails on one accelerator would fail on the next"}},
       {"counted exit codes",
        WithRules(WithBackoff(job, 8),
                  {OnExitCodes("Count", "In", {137}), OnExitCodes("Count", "In", {255})}),
        8,
        {kCounted, "FailJob In 137", "Count In 255", failing},
        {"podFailurePolicy.rules[0]" + corrected, Retried(8), kOwn}},
       {"the rules already",
        WithRules(WithBackoff(job, 8),
                  {Disruption("Count"), OnExitCodes("FailJob", "NotIn", {255})}),
        8,
        rules,
        {}},
       {"no limits",
        UnlimitedJob(),
        0,
        {},
        {kNoLimit},
        {"no infrastructureRetries: they require limits in every container"}}});
}

std::vector<model::FailureRule> ManyRules(std::size_t count) {
  return std::vector<model::FailureRule>(count, OnExitCodes("FailJob", "In", {1}));
}

TEST(JobRetriesTest, WritesNoMoreRulesThanAJobMayHave) {
  const Made room = Mutate(RetriesPolicy(), WithRules(LimitedGpuJob(), ManyRules(18)));
  EXPECT_THAT(RulesOf(room.workload), SizeIs(20));
  EXPECT_EQ(LimitOf(*room.workload.job), 6);
  ExpectSettled(RetriesPolicy(), room, "room for both rules");
  for (const std::size_t rules : {19, 20}) {
    const Made none = Mutate(RetriesPolicy(), WithRules(LimitedGpuJob(), ManyRules(rules)));
    EXPECT_THAT(RulesOf(none.workload), SizeIs(rules));
    EXPECT_EQ(LimitOf(*none.workload.job), 0);
    EXPECT_THAT(none.notes, ElementsAre("podFailurePolicy has " + std::to_string(rules) +
                                        " rules, which leaves no room for those about retries"));
    EXPECT_TRUE(none.holds);
    ExpectSettled(RetriesPolicy(), none, "no room");
  }
}

TEST(JobRetriesTest, LeavesOtherJobsAlone) {
  model::Workload managed = UnlimitedJob();
  managed.job->managed_by = "kueue.x-k8s.io/multikueue";
  const std::vector<std::pair<std::string, model::Workload>> cases = {
      {"limited, without accelerators", MakeJob(MakePod({Sized("a", "1", "1Gi")}))},
      {"another controller's", managed},
      {"a pod", CpuPod()},
      {"a Deployment", MakeOwner("Deployment", CpuPod())},
  };
  for (const auto& [name, workload] : cases) {
    const Made made = Mutate(RetriesPolicy(), workload);
    EXPECT_EQ(made.writes, 0u) << name;
    EXPECT_FALSE(made.holds) << name;
    EXPECT_THAT(made.notes, IsEmpty()) << name;
    EXPECT_THAT(RetriesPolicy().Judge(MakeRequest(), workload), IsEmpty()) << name;
  }
}

TEST(JobRetriesTest, SeesToJobsOfTheDefaultControllerByName) {
  model::Workload job = UnlimitedJob();
  job.job->managed_by = "kubernetes.io/job-controller";
  EXPECT_EQ(LimitOf(*Mutate(RetriesPolicy(), job).workload.job), 0);
}

struct Together {
  GuaranteedQosPolicy qos;
  JobRetriesPolicy retries = RetriesPolicy();

  Made Mutate(const model::Workload& workload) const {
    Draft draft(workload);
    Remarks remarks;
    qos.Mutate(MakeRequest(), draft, remarks);
    const bool holds = retries.Mutate(MakeRequest(), draft, remarks);
    return {.workload = draft.workload(),
            .changes = remarks.changes(),
            .notes = remarks.notes(),
            .holds = holds,
            .writes = draft.writes()};
  }
};

TEST(JobRetriesTest, AJobThatIsGivenLimitsIsRetriedAfterDisruptions) {
  const Together policies{.qos = {Context(), {}}};
  const Made made = policies.Mutate(UnlimitedJob());
  EXPECT_EQ(LimitOf(*made.workload.job), 6);
  EXPECT_THAT(RulesOf(made.workload), ElementsAre(kCounted, kFails));
  EXPECT_TRUE(made.holds);
  const Made again = policies.Mutate(made.workload);
  EXPECT_EQ(again.writes, 0u);
  EXPECT_TRUE(again.holds);
}

TEST(JobRetriesTest, AJobThatMayGoWithoutLimitsIsNotRetriedAtAll) {
  GuaranteedQosConfig config;
  config.missing_limits = MissingLimits::kAllowRetryless;
  const Together policies{.qos = {Context(), config}};
  const model::Workload job = WithRules(UnlimitedJob(), {Disruption("Ignore")});
  const Made made = policies.Mutate(job);
  EXPECT_EQ(LimitOf(*made.workload.job), 0);
  EXPECT_THAT(RulesOf(made.workload), ElementsAre("Count DisruptionTarget"));
  EXPECT_EQ(policies.Mutate(made.workload).writes, 0u);

  const Made cpu = policies.Mutate(MakeJob(MakePod({Sized("a", "-", "1Gi")})));
  EXPECT_EQ(LimitOf(*cpu.workload.job), 0);
  EXPECT_THAT(RulesOf(cpu.workload), IsEmpty());
}

struct BreachCase {
  std::string name;
  model::Workload job;
  std::vector<std::string> fields;
  std::string advice;
};

TEST(JobRetriesTest, ObjectsToFinalStatesThatWouldBeRetried) {
  const model::Workload calm = WithBackoff(UnlimitedJob(), 0);
  model::Workload cron = UnlimitedJob();
  cron.kind = "CronJob";
  const std::vector<BreachCase> cases = {
      {"backoffLimit", WithBackoff(calm, 1), {"spec.backoffLimit"}, "write 0"},
      {"per index", PerIndex(calm, 1), {"spec.backoffLimitPerIndex"}, "write 0"},
      {"restartPolicy",
       Restarting(calm, "OnFailure"),
       {"spec.template.spec.restartPolicy"},
       "write Never: the Job decides whether a failure is retried"},
      {"a rule",
       WithRules(calm, {OnExitCodes("FailJob", "In", {1}), Disruption("Ignore")}),
       {"spec.podFailurePolicy.rules[1].action"},
       "write Count"},
      {"a CronJob", cron, {"spec.jobTemplate.spec.backoffLimit"}, "write 0"},
      {"accelerators", LimitedGpuJob(), {"spec.backoffLimit"}, "write 0"},
      {"disruptions without an end",
       WithRules(WithBackoff(LimitedGpuJob(), 0), {Disruption("Ignore")}),
       {"spec.podFailurePolicy.rules[0].action"},
       "write Count"},
  };
  for (const BreachCase& c : cases) {
    std::vector<std::string> fields;
    for (const Objection& objection : RetriesPolicy().Judge(MakeRequest(), c.job)) {
      fields.push_back(objection.field);
      EXPECT_EQ(objection.advice, c.advice) << c.name;
    }
    EXPECT_EQ(fields, c.fields) << c.name;
  }
}

TEST(JobRetriesTest, AllowsRetriesOnlyWithTheRuleThatFailsOtherFailures) {
  const model::Workload job = WithBackoff(LimitedGpuJob(), 2);
  const auto objections = [](const model::Workload& of, JobRetriesConfig config = {}) {
    return RetriesPolicy(config).Judge(MakeRequest(), of).size();
  };
  EXPECT_EQ(objections(job), 1);
  const model::Workload safe = WithRules(job, {OnExitCodes("FailJob", "NotIn", {0})});
  EXPECT_EQ(objections(safe), 0);
  EXPECT_EQ(objections(safe, {.disruption_retries = 1}), 1);
  EXPECT_EQ(objections(safe, {.disruption_retries = 1, .infrastructure_retries = 1}), 0);
  const model::Workload lost = WithRules(job, {OnExitCodes("FailJob", "NotIn", {255})});
  EXPECT_EQ(objections(lost), 1);
  EXPECT_EQ(objections(lost, {.infrastructure_retries = 1}), 0);
}

TEST(JobRetriesTest, AMissingRuleForDisruptionsHarmsNobody) {
  EXPECT_THAT(RetriesPolicy().Judge(MakeRequest(), WithBackoff(LimitedGpuJob(), 0)), IsEmpty());
}

TEST(JobRetriesTest, AnUpdateMayScaleAJobDownAndRaiseNoLimit) {
  Request update = MakeRequest();
  update.operation = Operation::kUpdate;
  const model::Workload wide = Mutate(RetriesPolicy(), Parallel(LimitedGpuJob(), 8)).workload;
  const auto degree = [&update](const model::Workload& job) {
    const auto objections = RetriesPolicy().Judge(update, job);
    return objections.empty() ? 0 : objections.at(0).degree;
  };
  EXPECT_EQ(degree(wide), 48);
  EXPECT_EQ(degree(Parallel(wide, 0)), 48);
  EXPECT_EQ(degree(WithBackoff(wide, 49)), 49);
  EXPECT_EQ(degree(WithBackoff(wide, 20)), 0);
}

TEST(JobRetriesTest, ForetellsWhatBecomesOfACronJobsJobs) {
  model::Workload cron = UnlimitedJob();
  cron.kind = "CronJob";
  EXPECT_THAT(Mutate(RetriesPolicy(), cron).changes, ElementsAre(kNoLimit));
}

TEST(JobRetriesTest, ANumberOfRetriesIsNotNegative) {
  EXPECT_THAT(Validate(JobRetriesConfig{}), IsEmpty());
  EXPECT_THAT(Validate(JobRetriesConfig{.disruption_retries = 0}), IsEmpty());
  const auto errors =
      Validate(JobRetriesConfig{.disruption_retries = -1, .infrastructure_retries = -1});
  ASSERT_THAT(errors, SizeIs(2));
  EXPECT_EQ(errors[0].path, "disruptionRetries");
  EXPECT_EQ(errors[1].path, "infrastructureRetries");
  for (const model::FieldError& error : errors) EXPECT_THAT(error.message, HasSubstr("0 or more"));
}

TEST(JobRetriesTest, AnOwnerIsAKindWithItsGroup) {
  for (const char* wrong : {"", "JobSet", "/JobSet", "jobset.x-k8s.io/", "a/v1/JobSet", "A B/C"}) {
    const auto errors = Validate(JobRetriesConfig{.owners = {"jobset.x-k8s.io/JobSet", wrong}});
    ASSERT_THAT(errors, SizeIs(1)) << wrong;
    EXPECT_EQ(errors[0].path, "owners[1]");
    EXPECT_THAT(errors[0].message, HasSubstr("write one such as"));
  }
}

}  // namespace
}  // namespace berth::policies::admission
