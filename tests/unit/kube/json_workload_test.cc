#include "kube/json_workload.h"

#include <string>
#include <string_view>
#include <tuple>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kube/json.h"

namespace berth::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

absl::StatusOr<model::Workload> Read(std::string_view text, std::string_view kind) {
  JsonParser parser;
  const auto root = parser.Parse(text);
  if (!root.ok()) return root.status();
  return WorkloadFromJson(*root, kind, "");
}

std::string WorkloadError(std::string_view text, std::string_view kind = "Pod") {
  return std::string(Read(text, kind).status().message());
}

model::Quantity Quantity(std::string_view text) { return model::Quantity::Parse(text).value(); }

TEST(WorkloadFromJsonTest, ReadsAPod) {
  const auto pod = Read(R"({
    "metadata": {"generateName": "train-", "annotations": {"b": "2", "a": "1"},
                 "labels": {"team": "vision"},
                 "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": "train", "controller": true, "uid": "1a2b"},
                                     {"apiVersion": "v1", "kind": "Node", "name": "n"}]},
    "spec": {
      "initContainers": [{"name": "copy"}, {"name": "proxy", "restartPolicy": "Always"}],
      "containers": [{"name": "train", "restartPolicy": "Always",
        "restartPolicyRules": [{"action": "Restart", "exitCodes": {"operator": "In", "values": [42]}},
                               {"action": "RestartAllContainers"}],
        "resizePolicy": [{"resourceName": "cpu", "restartPolicy": "NotRequired"}, null,
                         {"resourceName": "memory", "restartPolicy": "RestartContainer"}],
        "resources": {"requests": {"cpu": "1500m"}, "limits": {"memory": "1Gi", "x.io/y": 2},
                      "claims": [{"name": "gpu"}, {"name": "nic", "request": "r"}, {"name": "x"}]},
        "env": [{"name": "A", "value": "b"}, {"name": "C", "valueFrom": {"fieldRef": {}}}],
        "volumeMounts": [{"name": "v", "mountPath": "/data", "subPath": "s"}]}],
      "resources": {"limits": {"cpu": "2"}},
      "nodeSelector": {"zone": "a"},
      "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}},
                  {"name": "w", "emptyDir": {}}],
      "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "single-gpu"},
                         {"name": "nic", "resourceClaimName": "shared-nic"}],
      "restartPolicy": "Never", "terminationGracePeriodSeconds": 7,
      "schedulingGates": [{"name": "example.com/quota"}, null],
      "schedulerName": "other", "nodeName": "n"}})",
                        "Pod");
  ASSERT_TRUE(pod.ok()) << pod.status();
  EXPECT_EQ(pod->generate_name, "train-");
  EXPECT_THAT(pod->annotations, IsEmpty());
  EXPECT_THAT(pod->pod.annotations, ElementsAre(Pair("a", "1"), Pair("b", "2")));
  EXPECT_THAT(pod->pod.labels, ElementsAre(Pair("team", "vision")));
  EXPECT_THAT(pod->pod.gates, ElementsAre("example.com/quota"));
  EXPECT_THAT(pod->labels, IsEmpty());
  EXPECT_THAT(pod->owners, ElementsAre(model::OwnerReference{"Job", "train", true, "batch", "1a2b"},
                                       model::OwnerReference{"Node", "n", false, ""}));
  EXPECT_FALSE(pod->deleted);
  EXPECT_FALSE(pod->job);

  const model::PodTemplate& spec = pod->pod;
  ASSERT_THAT(spec.containers, SizeIs(3));
  EXPECT_EQ(FieldOf(spec.containers[0]), "initContainers[0]");
  EXPECT_FALSE(spec.containers[0].sidecar);
  EXPECT_TRUE(spec.containers[1].sidecar);
  const model::Container& train = spec.containers[2];
  EXPECT_EQ(FieldOf(train), "containers[0]");
  EXPECT_FALSE(train.sidecar);
  EXPECT_EQ(train.name, "train");
  EXPECT_THAT(train.resources.requests, ElementsAre(Pair("cpu", Quantity("1500m"))));
  EXPECT_THAT(train.resources.limits,
              ElementsAre(Pair("memory", Quantity("1Gi")), Pair("x.io/y", Quantity("2"))));
  EXPECT_EQ(train.resources.limits.at("memory").text(), "1Gi");
  EXPECT_THAT(train.env, ElementsAre(model::EnvVar{"A", "b"}, model::EnvVar{"C", ""}));
  EXPECT_THAT(train.mounts, ElementsAre(model::VolumeMount{"v", "/data", "s"}));
  EXPECT_THAT(train.claims, ElementsAre("single-gpu", "shared-nic", ""));
  EXPECT_THAT(spec.containers[0].claims, IsEmpty());
  EXPECT_EQ(train.restart_policy, "Always");
  EXPECT_THAT(train.restart_actions, ElementsAre("Restart", "RestartAllContainers"));
  EXPECT_THAT(train.resize_restarts, ElementsAre("NotRequired", "", "RestartContainer"));
  EXPECT_EQ(spec.containers[0].restart_policy, "");
  EXPECT_EQ(spec.containers[1].restart_policy, "Always");
  ASSERT_TRUE(spec.resources);
  EXPECT_THAT(spec.resources->limits, ElementsAre(Pair("cpu", Quantity("2"))));
  EXPECT_THAT(spec.node_selector, ElementsAre(Pair("zone", "a")));
  EXPECT_THAT(spec.volumes, ElementsAre(model::Volume{"v", "c"}, model::Volume{"w", ""}));
  EXPECT_TRUE(spec.has_claims);
  EXPECT_EQ(spec.restart_policy, "Never");
  EXPECT_EQ(spec.termination_grace_period, 7);
  EXPECT_EQ(spec.scheduler_name, "other");
  EXPECT_EQ(spec.node_name, "n");
}

TEST(WorkloadFromJsonTest, HasTheDefaultsOfTheApiServerWhereNothingIsSaid) {
  for (const char* text : {"{}", R"({"metadata": null, "spec": null})",
                           R"({"spec": {"template": {"spec": {"containers": null,
                               "resources": null, "affinity": {"nodeAffinity": null}}},
                               "podFailurePolicy": null, "backoffLimit": null}})"}) {
    const auto job = Read(text, "Job");
    ASSERT_TRUE(job.ok()) << job.status();
    model::Workload expected{.kind = "Job"};
    expected.job.emplace();
    EXPECT_EQ(*job, expected) << text;
    EXPECT_EQ(job->job->backoff_limit, 6);
    EXPECT_EQ(job->job->parallelism, 1);
    EXPECT_EQ(job->pod.restart_policy, "Always");
    EXPECT_EQ(job->pod.termination_grace_period, 30);
  }
}

TEST(WorkloadFromJsonTest, ReadsAJob) {
  const auto job = Read(R"({
    "metadata": {"name": "train", "annotations": {"o": "1"}, "labels": {"l": "3"},
                 "deletionTimestamp": "2026-01-01T00:00:00Z"},
    "spec": {"completionMode": "Indexed", "backoffLimit": 3, "backoffLimitPerIndex": 0, "podReplacementPolicy": "Failed",
             "managedBy": "kueue.x-k8s.io/multikueue", "parallelism": 4, "completions": 8,
             "successPolicy": {"rules": [{"succeededCount": 1}]},
             "podFailurePolicy": {"rules": [null,
               {"action": "FailJob", "onExitCodes": {"operator": "NotIn", "values": [137, 255],
                                                    "containerName": "c"}},
               {"action": "Ignore", "onPodConditions": [
                 {"type": "DisruptionTarget"}, {"type": "Ready", "status": "False"}]}]},
             "template": {"metadata": {"annotations": {"p": "2"}},
                          "spec": {"containers": [{"name": "c"}]}}}})",
                        "Job");
  ASSERT_TRUE(job.ok()) << job.status();
  EXPECT_EQ(job->name, "train");
  EXPECT_TRUE(job->deleted);
  EXPECT_THAT(job->annotations, ElementsAre(Pair("o", "1")));
  EXPECT_THAT(job->labels, ElementsAre(Pair("l", "3")));
  EXPECT_THAT(job->pod.annotations, ElementsAre(Pair("p", "2")));
  ASSERT_TRUE(job->job);
  EXPECT_EQ(job->job->backoff_limit, 3);
  EXPECT_EQ(job->job->backoff_limit_per_index, 0);
  EXPECT_EQ(job->job->pod_replacement_policy, "Failed");
  EXPECT_EQ(job->job->managed_by, "kueue.x-k8s.io/multikueue");
  EXPECT_EQ(job->job->parallelism, 4);
  EXPECT_EQ(job->job->completions, 8);
  EXPECT_TRUE(job->job->has_success_policy);
  ASSERT_TRUE(job->job->failure_rules);
  EXPECT_THAT(*job->job->failure_rules,
              ElementsAre(model::FailureRule{.action = "FailJob",
                                             .exit_code_op = "NotIn",
                                             .exit_codes = {137, 255},
                                             .container = "c",
                                             .written_at = 1},
                          model::FailureRule{.action = "Ignore",
                                             .conditions = {"DisruptionTarget", "Ready=False"},
                                             .written_at = 2}));
}

TEST(WorkloadFromJsonTest, AJobIsQueuedIfItIsSuspendedOrHasTheLabelOfAQueue) {
  const std::string queue = R"("metadata": {"labels": {"kueue.x-k8s.io/queue-name": "team"}})";
  for (const auto& [text, kind, queued] : std::vector<std::tuple<std::string, const char*, bool>>{
           {R"({"spec": {}})", "Job", false},
           {R"({"spec": {"suspend": false}})", "Job", false},
           {R"({"spec": {"suspend": true}})", "Job", true},
           {"{" + queue + "}", "Job", true},
           {R"({"spec": {"suspend": true}})", "CronJob", false},
           {R"({"spec": {"jobTemplate": {)" + queue + "}}}", "CronJob", true},
           {R"({"spec": {"jobTemplate": {"spec": {"suspend": true}}}})", "CronJob", true}}) {
    const auto job = Read(text, kind);
    ASSERT_TRUE(job.ok()) << job.status();
    EXPECT_EQ(job->job->queued, queued) << kind << " " << text;
  }
}

TEST(WorkloadFromJsonTest, FindsTheTemplateOfEveryKind) {
  constexpr char kTemplate[] = R"({"spec": {"containers": [{"name": "c"}]}})";
  for (const char* kind : {"Deployment", "StatefulSet", "ReplicaSet", "ReplicationController"}) {
    const auto workload = Read(R"({"spec": {"template": )" + std::string(kTemplate) + "}}", kind);
    ASSERT_TRUE(workload.ok());
    EXPECT_THAT(workload->pod.containers, SizeIs(1)) << kind;
    EXPECT_FALSE(workload->job) << kind;
  }
  const auto cron = Read(R"({"spec": {"jobTemplate": {"spec": {"backoffLimit": 1, "template": )" +
                             std::string(kTemplate) + "}}}}",
                         "CronJob");
  ASSERT_TRUE(cron.ok());
  EXPECT_THAT(cron->pod.containers, SizeIs(1));
  ASSERT_TRUE(cron->job);
  EXPECT_EQ(cron->job->backoff_limit, 1);
}

TEST(WorkloadFromJsonTest, ReadsATemplateWhereItIsToldToBe) {
  JsonParser parser;
  const auto root = parser.Parse(R"({"metadata": {"name": "dist", "annotations": {"o": "1"}},
      "spec": {"workers": {"spec": {"containers": [{"name": 5}]}}}})");
  ASSERT_TRUE(root.ok());
  const auto pods = root->at_pointer("/spec/workers").value();
  const auto owner = TemplateOwnerFromJson(*root, "Dist");
  ASSERT_TRUE(owner.ok()) << owner.status();
  EXPECT_EQ(owner->name, "dist");
  EXPECT_THAT(owner->annotations, ElementsAre(Pair("o", "1")));
  EXPECT_EQ(WithPodsFromJson(*owner, pods, "spec.workers").status().message(),
            "spec.workers.spec.containers[0].name: expected a string, got number");
}

// Unlike a pod, it has annotations beside those of its pods.
TEST(WorkloadFromJsonTest, AKindNamedPodOfAnotherGroupIsNoPod) {
  JsonParser parser;
  const auto root = parser.Parse(R"({"metadata": {"annotations": {"o": "1"}},
      "spec": {"workers": {"metadata": {"annotations": {"p": "2"}}, "spec": {"nodeName": "n"}}}})");
  ASSERT_TRUE(root.ok());
  const auto owner = TemplateOwnerFromJson(*root, "Pod");
  ASSERT_TRUE(owner.ok()) << owner.status();
  const auto workload =
      WithPodsFromJson(*owner, root->at_pointer("/spec/workers").value(), "spec.workers");
  ASSERT_TRUE(workload.ok()) << workload.status();
  EXPECT_FALSE(workload->is_pod());
  EXPECT_THAT(workload->annotations, ElementsAre(Pair("o", "1")));
  EXPECT_THAT(workload->pod.annotations, ElementsAre(Pair("p", "2")));
  EXPECT_EQ(workload->pod.node_name, "n");
}

TEST(WorkloadFromJsonTest, KeepsThePlacesOfTermsAndContainers) {
  const auto pod = Read(R"({"spec": {
    "containers": [null, {"name": "second"}],
    "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
      "nodeSelectorTerms": [null, {}, {"matchFields": [{}]},
        {"matchExpressions": [{"key": "k", "operator": "In", "values": ["a", "b"]}]}]}}}}})",
                        "Pod");
  ASSERT_TRUE(pod.ok()) << pod.status();
  EXPECT_THAT(pod->pod.containers, ElementsAre(Field(&model::Container::index, 1u)));
  ASSERT_TRUE(pod->pod.node_terms);
  ASSERT_THAT(*pod->pod.node_terms, SizeIs(4));
  EXPECT_TRUE((*pod->pod.node_terms)[0].empty());
  EXPECT_TRUE((*pod->pod.node_terms)[1].empty());
  EXPECT_FALSE((*pod->pod.node_terms)[2].empty());
  EXPECT_THAT((*pod->pod.node_terms)[3].expressions,
              ElementsAre(model::NodeRequirement{"k", "In", {"a", "b"}}));
}

TEST(WorkloadFromJsonTest, NamesTheFieldThatIsWrong) {
  const struct {
    const char* text;
    const char* error;
  } cases[] = {
      {R"([])", "expected an object, got array"},
      {R"({"spec": "x"})", "spec: expected an object, got string"},
      {R"({"spec": {"containers": {}}})", "spec.containers: expected an array, got object"},
      {R"({"spec": {"containers": [1]}})", "spec.containers[0]: expected an object, got number"},
      {R"({"spec": {"initContainers": [{"resources": {"limits": {"cpu": "much"}}}]}})",
       R"(spec.initContainers[0].resources.limits["cpu"]: )"},
      {R"({"spec": {"containers": [{"resources": {"requests": {"memory": "-1"}}}]}})",
       R"(spec.containers[0].resources.requests["memory"]: "-1" is negative; write 0 or more)"},
      {R"({"spec": {"containers": [{"resources": {"requests": {"memory": true}}}]}})",
       "expected a quantity as string, got boolean"},
      {R"({"metadata": {"annotations": {"a": 1}}})",
       R"(metadata.annotations["a"]: expected a string, got number)"},
      {R"({"metadata": {"ownerReferences": [{"controller": "yes"}]}})",
       "metadata.ownerReferences[0].controller: expected true or false, got string"},
      {R"({"spec": {"terminationGracePeriodSeconds": 1.5}})",
       "spec.terminationGracePeriodSeconds: expected a whole number, got number"},
  };
  for (const auto& test : cases) EXPECT_THAT(WorkloadError(test.text), HasSubstr(test.error));
}

TEST(WorkloadFromJsonTest, CapsQuantitiesThatOverflow) {
  const auto pod =
      Read(R"({"spec": {"containers": [{"resources": {"limits": {"memory": "999999999999Ei"}}}]}})",
           "Pod");
  ASSERT_TRUE(pod.ok()) << pod.status();
  EXPECT_EQ(pod->pod.containers[0].resources.limits.at("memory").Value(), INT64_MAX);
}

}  // namespace
}  // namespace berth::kube
