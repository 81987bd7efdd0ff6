#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kube/json.h"

namespace berth::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

absl::StatusOr<model::Pod> Pod(std::string_view text) {
  JsonParser parser;
  const auto root = parser.Parse(text);
  if (!root.ok()) return root.status();
  return PodFromJson(*root, "Pod");
}

absl::StatusOr<model::Node> Node(std::string_view text) {
  JsonParser parser;
  const auto root = parser.Parse(text);
  if (!root.ok()) return root.status();
  return NodeFromJson(*root, "Node");
}

TEST(PodFromJsonTest, ReadsWhatThePodSays) {
  const auto pod = Pod(R"({
    "metadata": {"namespace": "team", "name": "train-0", "uid": "u-1",
                 "annotations": {"z": "1", "berth.dev/accelerators": "A100"}},
    "spec": {"nodeName": "gpu-7", "priority": -7,
             "tolerations": [{"key": "dedicated", "operator": "Equal", "value": "team-a",
                              "effect": "PreferNoSchedule", "tolerationSeconds": 300},
                             {"operator": "Exists"}],
             "containers": [{"resources": {"requests": {"cpu": "1500m"},
                                           "limits": {"nvidia.com/gpu": 2}}}],
             "initContainers": [{"restartPolicy": "Always",
                                 "resources": {"requests": {"cpu": 1}}}],
             "overhead": {"memory": "1Mi"},
             "resources": {"requests": {"memory": "1Gi"}}},
    "status": {"phase": "Failed"}})");
  ASSERT_TRUE(pod.ok()) << pod.status();
  EXPECT_EQ(pod->namespace_, "team");
  EXPECT_EQ(pod->name, "train-0");
  EXPECT_EQ(pod->uid, "u-1");
  EXPECT_EQ(pod->node_name, "gpu-7");
  EXPECT_THAT(pod->annotations,
              ElementsAre(Pair("berth.dev/accelerators", "A100"), Pair("z", "1")));
  EXPECT_THAT(pod->tolerations,
              ElementsAre(model::Toleration{"dedicated", "Equal", "team-a", "PreferNoSchedule"},
                          model::Toleration{"", "Exists", "", ""}));
  EXPECT_EQ(pod->requests.Get("cpu"), 2500);
  EXPECT_EQ(pod->requests.Get("memory"), (1 << 30) + (1 << 20));
  EXPECT_EQ(pod->requests.Get("nvidia.com/gpu"), 2);
  EXPECT_TRUE(pod->terminated);
  EXPECT_EQ(pod->priority, -7);
}

TEST(PodFromJsonTest, KnowsWhatControlsAPodAndWhetherItFailedByItself) {
  const auto pod = Pod(R"({"metadata": {"ownerReferences": [
      {"kind": "ConfigMap", "uid": "u-1"}, {"kind": "PyTorchJob", "uid": "u-2", "controller": true}]},
      "status": {"phase": "Failed", "conditions": [
          {"type": "Ready", "status": "True"}, {"type": "DisruptionTarget", "status": "False"}]}})");
  ASSERT_TRUE(pod.ok()) << pod.status();
  EXPECT_EQ(pod->controller_uid, "u-2");
  EXPECT_TRUE(pod->failed_by_itself);
  for (const char* status :
       {R"({"phase": "Failed", "conditions": [{"type": "DisruptionTarget", "status": "True"}]})",
        R"({"phase": "Succeeded"})", R"({"phase": "Running"})", "{}"}) {
    const auto other = Pod(R"({"status": )" + std::string(status) + "}");
    ASSERT_TRUE(other.ok()) << other.status();
    EXPECT_FALSE(other->failed_by_itself) << status;
    EXPECT_EQ(other->controller_uid, "");
  }
}

TEST(NodeFromJsonTest, KeepsWhomItAvoidsAndForWhomItIsKeptAndNoOtherAnnotation) {
  const auto node = Node(R"({"metadata": {"name": "gpu-1", "annotations": {
      "berth.dev/avoid": "job-1=2026-01-31T12:00:00Z", "avoid": "x", "berth.dev/avoids": "x",
      "berth.dev/kept": "ml/train resource=nvidia.com/gpu devices=8", "kept": "x",
      "berth.dev/unkept": "x"}}})");
  ASSERT_TRUE(node.ok()) << node.status();
  EXPECT_THAT(node->annotations,
              ElementsAre(Pair("berth.dev/avoid", "job-1=2026-01-31T12:00:00Z"),
                          Pair("berth.dev/kept", "ml/train resource=nvidia.com/gpu devices=8")));
}

TEST(PodFromJsonTest, APriorityThatIsTooLargeIsTheLargest) {
  const auto pod = Pod(R"({"spec": {"priority": 4294967297}})");
  ASSERT_TRUE(pod.ok()) << pod.status();
  EXPECT_EQ(pod->priority, 2'147'483'647);
}

TEST(PodFromJsonTest, NullIsTheSameAsAbsent) {
  const auto empty = Pod("{}");
  ASSERT_TRUE(empty.ok());
  EXPECT_EQ(*empty, model::Pod());
  for (const auto* text :
       {R"({"metadata": null, "spec": null, "status": null})",
        R"({"metadata": {"namespace": null, "name": null, "annotations": null}})",
        R"({"metadata": {"annotations": {"a": null}}})",
        R"({"spec": {"containers": null, "initContainers": [null], "overhead": null}})",
        R"({"spec": {"containers": [{"resources": {"requests": null, "limits": {"cpu": null}}}]}})",
        R"({"spec": {"tolerations": null}})",
        R"({"spec": {"resources": null}, "status": {"phase": null}})"}) {
    const auto pod = Pod(text);
    ASSERT_TRUE(pod.ok()) << pod.status();
    EXPECT_EQ(*pod, model::Pod()) << text;
  }
}

TEST(PodFromJsonTest, NamesAreExactAndUnknownOnesIgnored) {
  const auto pod =
      Pod(R"({"Metadata": 1, "metadata": {"NAME": "no", "name": "yes", "x": [1, {}]}})");
  ASSERT_TRUE(pod.ok()) << pod.status();
  EXPECT_EQ(pod->name, "yes");
}

TEST(PodFromJsonTest, OfEqualNamesTheLastCounts) {
  const auto pod = Pod(R"({"metadata": {"name": "first", "name": "last"}})");
  ASSERT_TRUE(pod.ok()) << pod.status();
  EXPECT_EQ(pod->name, "last");
}

TEST(PodFromJsonTest, NamesTheFieldThatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"[]", "Pod: expected an object, got array"},
      {R"("pod")", "Pod: expected an object, got string"},
      {R"({"metadata": []})", "Pod.metadata: expected an object, got array"},
      {R"({"metadata": {"name": 7}})", "Pod.metadata.name: expected a string, got number"},
      {R"({"metadata": {"name": ")" + std::string(254, 'n') + "\"}}",
       "Pod.metadata.name: has 254 bytes; Kubernetes allows 253 at most"},
      {R"({"metadata": {"namespace": ")" + std::string(64, 'n') + "\"}}",
       "Pod.metadata.namespace: has 64 bytes; Kubernetes allows 63 at most"},
      {R"({"metadata": {"annotations": "a"}})",
       "Pod.metadata.annotations: expected an object, got string"},
      {R"({"metadata": {"annotations": {"a": true}}})",
       R"(Pod.metadata.annotations["a"]: expected a string, got boolean)"},
      {R"({"spec": {"containers": {}}})", "Pod.spec.containers: expected an array, got object"},
      {R"({"spec": {"containers": [null, 1]}})",
       "Pod.spec.containers[1]: expected an object, got number"},
      {R"({"spec": {"containers": [{"resources": {"requests": {"cpu": []}}}]}})",
       R"(Pod.spec.containers[0].resources.requests["cpu"]: expected a quantity as string, got array)"},
      {R"({"spec": {"initContainers": [{"resources": {"limits": {"cpu": "1e3Ki"}}}]}})",
       R"(Pod.spec.initContainers[0].resources.limits["cpu"]: "1e3Ki" is not a quantity)"},
      {R"({"spec": {"overhead": {"cpu": -1}}})",
       R"(Pod.spec.overhead["cpu"]: "-1" is negative; write 0 or more)"},
      {R"({"spec": {"resources": {"requests": {"cpu": true}}}})",
       R"(Pod.spec.resources.requests["cpu"]: expected a quantity as string, got boolean)"},
      {R"({"spec": {"tolerations": [{"key": 1}]}})",
       "Pod.spec.tolerations[0].key: expected a string, got number"},
      {R"({"status": {"phase": {}}})", "Pod.status.phase: expected a string, got object"},
  };
  for (const auto& [text, says] : cases) {
    const auto pod = Pod(text);
    EXPECT_EQ(pod.status().code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(pod.status().message()), HasSubstr(says));
  }
}

TEST(NodeFromJsonTest, ReadsWhatTheNodeSays) {
  const auto node = Node(R"({
    "metadata": {"name": "gpu-7", "labels": {"b": "2", "a": "1"}},
    "spec": {"taints": [{"key": "dedicated", "value": "team-a", "effect": "PreferNoSchedule",
                         "timeAdded": "2026-01-31T12:00:00Z"},
                        {"key": "x", "effect": "NoSchedule"}]},
    "status": {"capacity": {"cpu": "80"}, "allocatable": {"nvidia.com/gpu": "6"},
               "conditions": [
                 {"type": "Ready", "status": "True", "lastHeartbeatTime": "2026-01-31T12:00:00Z"},
                 {"type": "GPUIsLost", "status": "Maybe",
                  "lastTransitionTime": "2026-01-31T21:00:01.5+09:00"}]}})");
  ASSERT_TRUE(node.ok()) << node.status();
  EXPECT_EQ(node->name, "gpu-7");
  EXPECT_THAT(node->labels, ElementsAre(Pair("a", "1"), Pair("b", "2")));
  EXPECT_THAT(node->taints, ElementsAre(model::Taint{"dedicated", "team-a", "PreferNoSchedule"},
                                        model::Taint{"x", "", "NoSchedule"}));
  EXPECT_EQ(node->capacity.Get("cpu"), 80'000);
  EXPECT_EQ(node->allocatable.Get("nvidia.com/gpu"), 6);
  const model::Time noon{std::chrono::seconds(1'769'860'800)};
  EXPECT_THAT(node->conditions,
              ElementsAre(model::Condition{.type = "Ready",
                                           .status = model::ConditionStatus::kTrue,
                                           .last_heartbeat = noon},
                          model::Condition{.type = "GPUIsLost",
                                           .status = model::ConditionStatus::kUnknown,
                                           .last_transition = noon + std::chrono::seconds(1)}));
}

// As Go writes its zero time in the zone of Tokyo; and what nobody writes.
TEST(NodeFromJsonTest, OneOfMoreThanBerthReadsIsAnError) {
  const auto error_of = [](int conditions, int taints) {
    const auto list = [](int count) {
      std::string items;
      for (int i = 0; i < count; ++i) items += i == 0 ? "{}" : ",{}";
      return '[' + items + ']';
    };
    const auto node = Node(R"({"metadata":{"name":"a"},"spec":{"taints":)" + list(taints) +
                           R"(},"status":{"conditions":)" + list(conditions) + "}}");
    return std::string(node.status().message());
  };
  EXPECT_EQ(error_of(256, 256), "");
  EXPECT_EQ(error_of(257, 0),
            "Node.status.conditions: has more than the 256 conditions that Berth reads");
  EXPECT_EQ(error_of(0, 9'999), "Node.spec.taints: has more than the 256 taints that Berth reads");
}

TEST(NodeFromJsonTest, ATimeThatCannotBeReadIsNoTime) {
  for (const std::string time :
       {"\"0000-12-31T15:00:00Z\"", "\"10000-01-01T00:00:00Z\"", "\"noon\"", "1", "{}", "null"}) {
    const auto node = Node(R"({"metadata": {"name": "n"}, "status": {"conditions": [
        {"type": "GPUIsLost", "status": "True", "lastHeartbeatTime": )" +
                           time + R"(, "lastTransitionTime": )" + time + "}]}}");
    ASSERT_TRUE(node.ok()) << node.status();
    EXPECT_THAT(node->conditions,
                ElementsAre(model::Condition{.type = "GPUIsLost",
                                             .status = model::ConditionStatus::kTrue}));
  }
}

TEST(PodFromJsonTest, AnOddTimeOfCreationIsNoReasonToRefuseThePod) {
  const auto pod =
      Pod(R"({"metadata": {"name": "p", "creationTimestamp": "0000-12-31T15:00:00Z"}})");
  ASSERT_TRUE(pod.ok()) << pod.status();
  EXPECT_EQ(pod->created, model::kNoTime);
}

TEST(NodeFromJsonTest, NamesTheFieldThatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"{}", "Node.metadata.name: is missing"},
      {R"({"metadata": {"name": "n"}, "status": {"capacity": {"cpu": "x"}}})",
       R"(Node.status.capacity["cpu"]: "x" is not a quantity)"},
      {R"({"metadata": {"name": "n"}, "spec": {"taints": {}}})",
       "Node.spec.taints: expected an array, got object"},
      {R"({"metadata": {"name": "n", "labels": {"a": 1}}})",
       R"(Node.metadata.labels["a"]: expected a string, got number)"},
  };
  for (const auto& [text, says] : cases) {
    const auto node = Node(text);
    EXPECT_EQ(node.status().code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(node.status().message()), HasSubstr(says));
  }
}

}  // namespace
}  // namespace berth::kube
