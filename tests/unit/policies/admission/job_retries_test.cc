#include "policies/admission/job_retries.h"

#include <cstdint>
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

JobRetriesPolicy Policy(std::int32_t infrastructure_retries = 0) {
  return {Context(), {.infrastructure_retries = infrastructure_retries}};
}

const std::string kIgnored = "Ignore DisruptionTarget";
const std::string kNoLimit =
    "backoffLimit set to 0: a Job that sets no memory limit may fail on node after node";
const std::string kAccelerator =
    "backoffLimit set to 0: what fails on one accelerator would fail on the next";
const std::string kRuleAdded =
    "podFailurePolicy retries pods that are drained, preempted or evicted";

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
      Policy(),
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

TEST(JobRetriesTest, RetriesDisruptedPodsWhereMemoryIsLimited) {
  const model::Workload job = LimitedGpuJob();
  model::Workload claiming = MakeJob(MakePod({Sized("a", "1", "1Gi")}));
  claiming.pod.has_claims = true;
  model::Workload whole = MakeJob(GpuPod());
  whole.pod.resources = Sizes("1", "1Gi");
  ExpectRetries(
      Policy(),
      {{"the default", job, 0, {kIgnored}, {kRuleAdded, kAccelerator}},
       {"claims", claiming, 0, {kIgnored}, {kRuleAdded, kAccelerator}},
       {"a limit of the whole pod", whole, 0, {kIgnored}, {kRuleAdded, kAccelerator}},
       {"indexed",
        PerIndex(job, 5),
        0,
        {kIgnored},
        {kRuleAdded,
         "backoffLimitPerIndex 5 set to 0: what fails on one accelerator would fail on the next"}},
       {"restarts in place",
        Restarting(job, "OnFailure"),
        0,
        {kIgnored},
        {kRuleAdded, kAccelerator,
         "restartPolicy OnFailure set to Never: the Job decides whether a failure is retried"}},
       {"an empty policy", WithRules(job, {}), 0, {kIgnored}, {kRuleAdded, kAccelerator}},
       {"rules of its own",
        WithRules(job, {OnExitCodes("FailJob", "In", {1})}),
        0,
        {kIgnored, "FailJob In 1"},
        {kRuleAdded, kAccelerator}},
       {"its own rule for disruptions",
        WithRules(job, {Disruption("FailJob")}),
        0,
        {"FailJob DisruptionTarget"},
        {kAccelerator}},
       {"the rule already",
        WithRules(job, {OnExitCodes("FailJob", "In", {1}), Disruption("Ignore")}),
        0,
        {"FailJob In 1", kIgnored},
        {kAccelerator}},
       {"ignored exit codes",
        WithRules(job, {OnExitCodes("Ignore", "In", {137})}),
        0,
        {kIgnored, "Count In 137"},
        {"podFailurePolicy.rules[0] set to Count: a pod out of memory is not retried", kRuleAdded,
         kAccelerator}},
       {"a rule that ignores every failure",
        WithRules(job, {OnConditions("Ignore", {"DisruptionTarget", "Ready"})}),
        0,
        {kIgnored, "Count DisruptionTarget Ready"},
        {"podFailurePolicy.rules[0] set to Count: a pod out of memory is not retried", kRuleAdded,
         kAccelerator}}});
}

TEST(JobRetriesTest, LeavesBackoffLimitAloneWhereIndexesHaveTheirOwn) {
  const Made made = Mutate(Policy(), PerIndex(UnlimitedJob(), 5));
  EXPECT_EQ(made.workload.job->backoff_limit, 2147483647);
}

TEST(JobRetriesTest, RetriesFailuresOfTheInfrastructureWhereConfigured) {
  const model::Workload job = LimitedGpuJob();
  const std::string failing = "FailJob NotIn 255";
  const std::string infrastructure = "set to 2: only failures of the infrastructure are retried";
  const std::string corrected = " set to FailJob: a pod out of memory is not retried";
  ExpectRetries(
      Policy(2),
      {{"the default", job, 2, {kIgnored, failing}, {kRuleAdded, "backoffLimit " + infrastructure}},
       {"fewer", WithBackoff(job, 1), 1, {kIgnored, failing}, {kRuleAdded}},
       {"none", WithBackoff(job, 0), 0, {kIgnored, failing}, {kRuleAdded}},
       {"indexed",
        PerIndex(job, 5),
        2,
        {kIgnored, "FailIndex NotIn 255"},
        {kRuleAdded, "backoffLimitPerIndex 5 " + infrastructure}},
       {"counted exit codes",
        WithRules(job, {OnExitCodes("Count", "In", {137}), OnExitCodes("Count", "In", {255})}),
        2,
        {kIgnored, "FailJob In 137", "Count In 255", failing},
        {"podFailurePolicy.rules[0]" + corrected, kRuleAdded, "backoffLimit " + infrastructure}},
       {"the rules already",
        WithRules(job, {Disruption("Ignore"), OnExitCodes("FailJob", "NotIn", {255})}),
        2,
        {kIgnored, failing},
        {"backoffLimit " + infrastructure}},
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
  const std::string full =
      "podFailurePolicy has 20 rules, which leaves no room for a rule about retries";
  const Made one = Mutate(Policy(2), WithRules(LimitedGpuJob(), ManyRules(19)));
  EXPECT_THAT(RulesOf(one.workload), SizeIs(20));
  EXPECT_EQ(RulesOf(one.workload).front(), kIgnored);
  EXPECT_EQ(LimitOf(*one.workload.job), 0);
  EXPECT_THAT(one.notes, ElementsAre(full));
  ExpectSettled(Policy(2), one, "room for a rule");

  const Made none = Mutate(Policy(), WithRules(LimitedGpuJob(), ManyRules(20)));
  EXPECT_THAT(RulesOf(none.workload), SizeIs(20));
  EXPECT_THAT(none.notes, ElementsAre(full));
  EXPECT_FALSE(none.holds);
  ExpectSettled(Policy(), none, "no room");
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
    const Made made = Mutate(Policy(), workload);
    EXPECT_EQ(made.writes, 0u) << name;
    EXPECT_FALSE(made.holds) << name;
    EXPECT_THAT(made.notes, IsEmpty()) << name;
    EXPECT_THAT(Policy().Judge(MakeRequest(), workload), IsEmpty()) << name;
  }
}

TEST(JobRetriesTest, SeesToJobsOfTheDefaultControllerByName) {
  model::Workload job = UnlimitedJob();
  job.job->managed_by = "kubernetes.io/job-controller";
  EXPECT_EQ(LimitOf(*Mutate(Policy(), job).workload.job), 0);
}

struct Together {
  GuaranteedQosPolicy qos;
  JobRetriesPolicy retries = Policy();

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
  EXPECT_EQ(LimitOf(*made.workload.job), 0);
  EXPECT_THAT(RulesOf(made.workload), ElementsAre(kIgnored));
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
  };
  for (const BreachCase& c : cases) {
    std::vector<std::string> fields;
    for (const Objection& objection : Policy().Judge(MakeRequest(), c.job)) {
      fields.push_back(objection.field);
      EXPECT_EQ(objection.advice, c.advice) << c.name;
    }
    EXPECT_EQ(fields, c.fields) << c.name;
  }
}

TEST(JobRetriesTest, AllowsRetriesOnlyWithTheRuleThatFailsOtherFailures) {
  const model::Workload job = WithBackoff(LimitedGpuJob(), 2);
  EXPECT_THAT(Policy(2).Judge(MakeRequest(), job), SizeIs(1));
  const model::Workload safe = WithRules(job, {OnExitCodes("FailJob", "NotIn", {255})});
  EXPECT_THAT(Policy(2).Judge(MakeRequest(), safe), IsEmpty());
  EXPECT_THAT(Policy(1).Judge(MakeRequest(), safe), SizeIs(1));
  EXPECT_THAT(Policy(0).Judge(MakeRequest(), safe), SizeIs(1));
}

TEST(JobRetriesTest, AMissingRuleForDisruptionsHarmsNobody) {
  EXPECT_THAT(Policy().Judge(MakeRequest(), WithBackoff(LimitedGpuJob(), 0)), IsEmpty());
}

TEST(JobRetriesTest, ForetellsWhatBecomesOfACronJobsJobs) {
  model::Workload cron = UnlimitedJob();
  cron.kind = "CronJob";
  EXPECT_THAT(Mutate(Policy(), cron).changes, ElementsAre(kNoLimit));
}

TEST(JobRetriesTest, ANumberOfRetriesIsNotNegative) {
  EXPECT_THAT(Validate(JobRetriesConfig{.infrastructure_retries = 0}), IsEmpty());
  const auto errors = Validate(JobRetriesConfig{.infrastructure_retries = -1});
  ASSERT_THAT(errors, SizeIs(1));
  EXPECT_EQ(errors[0].path, "infrastructureRetries");
  EXPECT_THAT(errors[0].message, HasSubstr("0 or more"));
}

}  // namespace
}  // namespace berth::policies::admission
