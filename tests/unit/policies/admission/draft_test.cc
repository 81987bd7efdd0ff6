#include "policies/admission/draft.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/policies/admission/fixtures.h"

namespace berth::policies::admission {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

model::Workload JobOfTwo() {
  model::Workload job = MakeJob(
      MakePod({MakeContainer("train", Resources({{"memory", "1Gi"}})), MakeContainer("logger")}));
  job.pod.containers[1].restart_policy = "OnFailure";
  job.pod.containers[1].restart_actions = {"Restart"};
  job.pod.containers[1].resize_restarts = {"NotRequired", "RestartContainer"};
  job.pod.resources = Resources({{"cpu", "1"}});
  return job;
}

struct Write {
  std::string what;
  std::function<void(Draft&)> write;
  std::function<void(model::Workload&)> same;
};

const std::vector<Write>& IdempotentWrites() {
  static const std::vector<Write> writes = {
      {"annotation of the object",
       [](Draft& d) { d.SetAnnotation(Metadata::kObject, "berth.dev/a", "1"); },
       [](model::Workload& w) {
         w.annotations = {{"berth.dev/a", "1"}};
       }},
      {"annotation of the pods",
       [](Draft& d) { d.SetAnnotation(Metadata::kPods, "berth.dev/a", "1"); },
       [](model::Workload& w) {
         w.pod.annotations = {{"berth.dev/a", "1"}};
       }},
      {"request", [](Draft& d) { d.SetRequest(1, "cpu", Q("2")); },
       [](model::Workload& w) { w.pod.containers[1].resources.requests["cpu"] = Q("2"); }},
      {"limit", [](Draft& d) { d.SetLimit(0, "memory", Q("2Gi")); },
       [](model::Workload& w) { w.pod.containers[0].resources.limits["memory"] = Q("2Gi"); }},
      {"request of the pod", [](Draft& d) { d.SetPodRequest("cpu", Q("2")); },
       [](model::Workload& w) { w.pod.resources->requests["cpu"] = Q("2"); }},
      {"limit of the pod", [](Draft& d) { d.SetPodLimit("memory", Q("2Gi")); },
       [](model::Workload& w) { w.pod.resources->limits["memory"] = Q("2Gi"); }},
      {"nodes",
       [](Draft& d) {
         d.RequireOfNodes({"zone", "In", {"a"}});
       },
       [](model::Workload& w) {
         w.pod.node_terms = {{.expressions = {{"zone", "In", {"a"}}}}};
       }},
      {"grace period", [](Draft& d) { d.SetTerminationGracePeriod(120); },
       [](model::Workload& w) { w.pod.termination_grace_period = 120; }},
      {"restart policy", [](Draft& d) { d.SetRestartPolicy("OnFailure"); },
       [](model::Workload& w) { w.pod.restart_policy = "OnFailure"; }},
      {"restart policy of a container", [](Draft& d) { d.SetContainerRestartPolicy(1, "Never"); },
       [](model::Workload& w) { w.pod.containers[1].restart_policy = "Never"; }},
      {"restart rules", [](Draft& d) { d.RemoveRestartRules(1); },
       [](model::Workload& w) { w.pod.containers[1].restart_actions.clear(); }},
      {"restart at a resize", [](Draft& d) { d.SetResizeRestart(1, 1, "NotRequired"); },
       [](model::Workload& w) { w.pod.containers[1].resize_restarts[1] = "NotRequired"; }},
      {"scheduling gate", [](Draft& d) { d.AddSchedulingGate("berth.dev/gang"); },
       [](model::Workload& w) { w.pod.gates = {"berth.dev/gang"}; }},
      {"scheduling group", [](Draft& d) { d.SetSchedulingGroup("berth-train"); },
       [](model::Workload& w) { w.pod.scheduling_group = "berth-train"; }},
      {"scheduler", [](Draft& d) { d.SetSchedulerName("berth"); },
       [](model::Workload& w) { w.pod.scheduler_name = "berth"; }},
      {"backoffLimit", [](Draft& d) { d.SetBackoffLimit(0); },
       [](model::Workload& w) { w.job->backoff_limit = 0; }},
      {"backoffLimitPerIndex", [](Draft& d) { d.SetBackoffLimitPerIndex(0); },
       [](model::Workload& w) { w.job->backoff_limit_per_index = 0; }},
      {"podReplacementPolicy", [](Draft& d) { d.SetPodReplacementPolicy("Failed"); },
       [](model::Workload& w) { w.job->pod_replacement_policy = "Failed"; }},
  };
  return writes;
}

TEST(DraftTest, WritesOnceWhatIsNotSoAlready) {
  for (const Write& write : IdempotentWrites()) {
    Draft draft(JobOfTwo());
    model::Workload expected = JobOfTwo();
    write.same(expected);
    write.write(draft);
    EXPECT_EQ(draft.writes(), 1) << write.what;
    EXPECT_EQ(draft.workload(), expected) << write.what;
    EXPECT_EQ(draft.original(), JobOfTwo()) << write.what;
    write.write(draft);
    EXPECT_EQ(draft.writes(), 1) << write.what << ", again";
    EXPECT_EQ(draft.workload(), expected) << write.what << ", again";
  }
}

TEST(DraftTest, AppendsWhatListsAreToHave) {
  Draft draft(JobOfTwo());
  draft.AddVolume({.name = "data", .claim = "claim"});
  draft.AddMount(1, {.name = "data", .mount_path = "/data", .sub_path = ""});
  draft.AddEnv(1, {.name = "DIR", .value = "/data"});
  EXPECT_EQ(draft.writes(), 3);
  model::Workload expected = JobOfTwo();
  expected.pod.volumes = {{.name = "data", .claim = "claim"}};
  expected.pod.containers[1].mounts = {{.name = "data", .mount_path = "/data", .sub_path = ""}};
  expected.pod.containers[1].env = {{.name = "DIR", .value = "/data"}};
  EXPECT_EQ(draft.workload(), expected);
}

TEST(DraftTest, KeepsAnAmountThatIsOnlyWrittenDifferently) {
  Draft draft(JobOfTwo());
  draft.SetLimit(0, "memory", Q("1024Mi"));
  EXPECT_EQ(draft.writes(), 0);
  EXPECT_EQ(draft.pod().containers[0].resources.limits.at("memory").text(), "1Gi");
}

TEST(DraftTest, KeepsAnnotationsInOrder) {
  Draft draft(CpuPod());
  for (const char* name : {"b", "a", "c"}) draft.SetAnnotation(Metadata::kPods, name, name);
  draft.SetAnnotation(Metadata::kPods, "b", "new");
  draft.RemoveAnnotation(Metadata::kPods, "a");
  draft.RemoveAnnotation(Metadata::kPods, "nowhere");
  EXPECT_THAT(draft.pod().annotations, ElementsAre(Pair("b", "new"), Pair("c", "c")));
  EXPECT_EQ(draft.writes(), 5);
}

TEST(DraftTest, APodsMetadataAreThoseOfItsPods) {
  Draft draft(CpuPod());
  draft.SetAnnotation(Metadata::kObject, "a", "1");
  draft.SetAnnotation(Metadata::kPods, "a", "1");
  EXPECT_EQ(draft.writes(), 1);
  EXPECT_THAT(draft.pod().annotations, ElementsAre(Pair("a", "1")));
  EXPECT_TRUE(draft.workload().annotations.empty());
}

TEST(DraftTest, RequiresOfNodesInEveryTermThatMatchesSome) {
  const model::NodeRequirement zone{"zone", "In", {"a"}};
  const model::NodeRequirement disk{"disk", "Exists", {}};
  model::Workload pod = CpuPod();
  pod.pod.node_terms = {{.expressions = {zone}},
                        {},
                        {.expressions = {}, .fields = {{"metadata.name", "In", {"n1"}}}}};
  Draft draft(pod);
  EXPECT_TRUE(draft.RequireOfNodes(disk));
  EXPECT_THAT(
      *draft.pod().node_terms,
      ElementsAre(model::NodeSelectorTerm{.expressions = {zone, disk}}, model::NodeSelectorTerm{},
                  model::NodeSelectorTerm{.expressions = {disk},
                                          .fields = {{"metadata.name", "In", {"n1"}}}}));
  EXPECT_EQ(draft.writes(), 2);
}

TEST(DraftTest, LeavesTermsAloneThatMatchNoNode) {
  for (const auto& terms :
       {std::vector<model::NodeSelectorTerm>{}, std::vector<model::NodeSelectorTerm>{{}, {}}}) {
    model::Workload pod = CpuPod();
    pod.pod.node_terms = terms;
    Draft draft(pod);
    EXPECT_FALSE(draft.RequireOfNodes({"disk", "Exists", {}}));
    EXPECT_EQ(draft.writes(), 0);
    EXPECT_EQ(draft.workload(), pod);
  }
}

TEST(DraftTest, WritesNothingOfAJobIntoWhatIsNone) {
  Draft draft(CpuPod());
  draft.SetBackoffLimit(0);
  draft.SetBackoffLimitPerIndex(0);
  draft.SetPodReplacementPolicy("Failed");
  draft.PrependFailureRule({.action = "Ignore"});
  draft.SetFailureRuleAction(0, "Count");
  draft.SetPodRequest("cpu", Q("1"));
  draft.SetPodLimit("cpu", Q("1"));
  EXPECT_EQ(draft.writes(), 0);
  EXPECT_EQ(draft.workload(), CpuPod());
}

TEST(DraftTest, FailureRulesKeepWhereTheyWereWritten) {
  model::Workload job = JobOfTwo();
  job.job->failure_rules = {{.action = "Ignore",
                             .exit_code_op = "In",
                             .exit_codes = {1},
                             .conditions = {},
                             .written_at = 0}};
  Draft draft(job);
  draft.PrependFailureRule({.action = "Ignore", .conditions = {"DisruptionTarget"}});
  draft.AppendFailureRule({.action = "FailJob", .exit_code_op = "NotIn", .exit_codes = {255}});
  draft.SetFailureRuleAction(1, "Count");
  EXPECT_EQ(draft.writes(), 3);
  const auto& rules = *draft.workload().job->failure_rules;
  ASSERT_EQ(rules.size(), 3);
  EXPECT_EQ(rules[0].action + std::string(rules[0].conditions[0]), "IgnoreDisruptionTarget");
  EXPECT_FALSE(rules[0].written_at);
  EXPECT_EQ(rules[1].action, "Count");
  EXPECT_EQ(rules[1].written_at, 0);
  EXPECT_EQ(rules[2].action, "FailJob");
  EXPECT_FALSE(rules[2].written_at);
}

TEST(DraftTest, MakesAPolicyForTheFirstFailureRule) {
  Draft draft(JobOfTwo());
  draft.AppendFailureRule({.action = "Ignore", .conditions = {"DisruptionTarget"}});
  ASSERT_TRUE(draft.workload().job->failure_rules);
  EXPECT_EQ(draft.workload().job->failure_rules->size(), 1);
}

}  // namespace
}  // namespace berth::policies::admission
