#include "policies/fit/fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace berth::policies::fit {
namespace {

using model::HostPort;
using model::Node;
using model::NodeState;
using model::Pod;
using model::Taint;
using model::Toleration;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr char kAvx[] = "feature.node.kubernetes.io/cpu-cpuid.AVX";

model::Resources Of(std::initializer_list<std::pair<const char*, std::int64_t>> amounts) {
  model::Resources resources;
  for (const auto& [name, amount] : amounts) resources.Set(name, amount);
  return resources;
}

Node GpuNode() {
  Node node{.name = "gpu-1", .labels = {{"zone", "a"}}};
  node.allocatable = Of({{"cpu", 36'000}, {"memory", 1'000}, {"nvidia.com/gpu", 8}, {"pods", 110}});
  return node;
}

TEST(JudgeNode, ACordonedNodeTakesWhoToleratesIt) {
  Node node = GpuNode();
  EXPECT_EQ(JudgeNode(Pod(), node), Misfit::kNone);
  node.unschedulable = true;
  EXPECT_EQ(JudgeNode(Pod(), node), Misfit::kUnschedulable);
  const Toleration toleration{.key = "node.kubernetes.io/unschedulable", .op = "Exists"};
  EXPECT_EQ(JudgeNode(Pod{.tolerations = {toleration}}, node), Misfit::kNone);
  // kubelet's controller adds this taint to a node that is cordoned.
  node.taints = {{.key = "node.kubernetes.io/unschedulable", .value = {}, .effect = "NoSchedule"}};
  EXPECT_EQ(JudgeNode(Pod(), node), Misfit::kUnschedulable);
  EXPECT_EQ(JudgeNode(Pod{.tolerations = {toleration}}, node), Misfit::kNone);
}

TEST(JudgeNode, TaintsThatKeepPodsOffMustBeTolerated) {
  const Toleration ours{.key = "pool", .op = "Equal", .value = "ml", .effect = "NoSchedule"};
  const struct {
    std::vector<Taint> taints;
    Misfit alone;
    Misfit tolerated;
  } cases[] = {
      {{}, Misfit::kNone, Misfit::kNone},
      {{{"pool", "ml", "NoSchedule"}}, Misfit::kTaint, Misfit::kNone},
      {{{"pool", "ml", "NoExecute"}}, Misfit::kTaint, Misfit::kTaint},
      {{{"pool", "web", "NoSchedule"}}, Misfit::kTaint, Misfit::kTaint},
      {{{"pool", "web", "PreferNoSchedule"}}, Misfit::kNone, Misfit::kNone},
      {{{"pool", "ml", "NoSchedule"}, {"disk", "", "NoSchedule"}}, Misfit::kTaint, Misfit::kTaint},
  };
  for (const auto& [taints, alone, tolerated] : cases) {
    Node node = GpuNode();
    node.taints = taints;
    EXPECT_EQ(JudgeNode(Pod(), node), alone);
    EXPECT_EQ(JudgeNode(Pod{.tolerations = {ours}}, node), tolerated);
  }
}

TEST(JudgeNode, TheNodeMeetsSelectorAndAffinity) {
  const Node node = GpuNode();
  EXPECT_EQ(JudgeNode(Pod{.needs = {.selector = {{"zone", "a"}}}}, node), Misfit::kNone);
  EXPECT_EQ(JudgeNode(Pod{.needs = {.selector = {{"zone", "b"}}}}, node), Misfit::kSelector);
  const model::NodeSelectorTerm by_name{.expressions = {},
                                        .fields = {{"metadata.name", "In", {"gpu-1"}}}};
  EXPECT_EQ(JudgeNode(Pod{.needs = {.terms = {{by_name}}}}, node), Misfit::kNone);
  Node other = node;
  other.name = "gpu-2";
  EXPECT_EQ(JudgeNode(Pod{.needs = {.terms = {{by_name}}}}, other), Misfit::kSelector);
}

TEST(JudgeRoom, ResourcesThatAreLeftSuffice) {
  const Node node = GpuNode();
  const struct {
    model::Resources requests;
    model::Resources used;
    Misfit misfit;
  } cases[] = {
      {{}, {}, Misfit::kNone},
      {Of({{"nvidia.com/gpu", 8}}), {}, Misfit::kNone},
      {Of({{"nvidia.com/gpu", 9}}), {}, Misfit::kResource},
      {Of({{"nvidia.com/gpu", 4}}), Of({{"nvidia.com/gpu", 4}}), Misfit::kNone},
      {Of({{"nvidia.com/gpu", 4}}), Of({{"nvidia.com/gpu", 5}}), Misfit::kResource},
      {Of({{"cpu", 36'000}, {"memory", 1'000}}), Of({{"nvidia.com/gpu", 8}}), Misfit::kNone},
      {Of({{"memory", 1}}), Of({{"memory", 1'000}}), Misfit::kResource},
      // The node does not list these.
      {Of({{"example.com/fpga", 1}}), {}, Misfit::kResource},
      {Of({{"example.com/fpga", 0}}), {}, Misfit::kNone},
      // Pods that did not go through kube-scheduler may use more than there is, which does not
      // concern a pod that asks for none of it.
      {Of({{"cpu", 1}}), Of({{"memory", 2'000}}), Misfit::kNone},
      {Of({{"memory", 1}}), Of({{"memory", 2'000}}), Misfit::kResource},
      {Of({{"memory", kMost}}), Of({{"memory", kMost}}), Misfit::kResource},
  };
  for (const auto& [requests, used, misfit] : cases) {
    EXPECT_EQ(JudgeRoom(Pod{.requests = requests}, {.node = node, .used = used}), misfit)
        << ::testing::PrintToString(std::vector(requests.begin(), requests.end()));
  }
}

TEST(JudgeRoom, PodsAreCountedEvenIfTheyRequestNothing) {
  NodeState node{.node = GpuNode()};
  node.pods = 109;
  EXPECT_EQ(JudgeRoom(Pod(), node), Misfit::kNone);
  node.pods = 110;
  EXPECT_EQ(JudgeRoom(Pod(), node), Misfit::kPods);
  // kubelet has not told yet what the node has.
  EXPECT_EQ(JudgeRoom(Pod(), {.node = {.name = "gpu-2"}}), Misfit::kPods);
}

TEST(JudgeRoom, PortsOfTheNodeAreTakenOnce) {
  const struct {
    HostPort ours;
    HostPort theirs;
    bool conflict;
  } cases[] = {
      {{.port = 80}, {.port = 80}, true},
      {{.port = 80}, {.port = 81}, false},
      {{.protocol = "UDP", .port = 80}, {.port = 80}, false},
      {{.ip = "10.0.0.1", .port = 80}, {.port = 80}, true},
      {{.port = 80}, {.ip = "10.0.0.1", .port = 80}, true},
      {{.ip = "10.0.0.1", .port = 80}, {.ip = "10.0.0.1", .port = 80}, true},
      {{.ip = "10.0.0.1", .port = 80}, {.ip = "10.0.0.2", .port = 80}, false},
  };
  for (const auto& [ours, theirs, conflict] : cases) {
    NodeState node{.node = GpuNode()};
    node.ports = {{.port = 22}, theirs};
    EXPECT_EQ(JudgeRoom(Pod{.host_ports = {ours}}, node), conflict ? Misfit::kPort : Misfit::kNone);
  }
}

TEST(Book, TakesWhatThePodWouldHoldThere) {
  NodeState node{.node = GpuNode()};
  const Pod pod{.requests = Of({{"nvidia.com/gpu", 5}}), .host_ports = {{.port = 80}}};
  Book(pod, node);
  EXPECT_EQ(node.used.Get("nvidia.com/gpu"), 5);
  EXPECT_EQ(node.pods, 1);
  EXPECT_EQ(JudgeRoom(pod, node), Misfit::kPort);
  EXPECT_EQ(JudgeRoom(Pod{.requests = pod.requests}, node), Misfit::kResource);
  EXPECT_EQ(JudgeRoom(Pod{.requests = Of({{"nvidia.com/gpu", 3}})}, node), Misfit::kNone);
}

TEST(RoomFor, IsHowManyPodsFitOneAfterTheOther) {
  const Pod pods[] = {
      {},
      {.requests = Of({{"nvidia.com/gpu", 3}})},
      {.requests = Of({{"nvidia.com/gpu", 1}, {"memory", 400}})},
      {.requests = Of({{"nvidia.com/gpu", 9}})},
      {.requests = Of({{"example.com/fpga", 0}})},
      {.requests = Of({{"cpu", 1}}), .host_ports = {{.port = 80}}},
  };
  for (const std::int64_t used : {0, 1, 8}) {
    for (const Pod& pod : pods) {
      NodeState node{.node = GpuNode(), .used = Of({{"nvidia.com/gpu", used}})};
      node.pods = 100;
      const std::int64_t room = RoomFor(pod, node, 50);
      EXPECT_EQ(RoomFor(pod, node, 2), std::min<std::int64_t>(room, 2));
      std::int64_t booked = 0;
      for (; JudgeRoom(pod, node) == Misfit::kNone; ++booked) Book(pod, node);
      EXPECT_EQ(room, booked);
    }
  }
}

TEST(UnknownNeed, IsWhatKubeSchedulerAloneKnows) {
  const struct {
    std::function<void(Pod&)> need;
    Unknown unknown;
    std::string name;
  } cases[] = {
      {[](Pod&) {}, Unknown::kNone, "none"},
      {[](Pod& pod) {
         pod.scored.claims = true;
         pod.tolerations.assign(95'000, {.op = "Exists"});
       },
       Unknown::kTooLarge, "too_large"},
      {[](Pod& pod) { pod.scored.claims = true; }, Unknown::kClaims, "claims"},
      {[](Pod& pod) { pod.attached_volumes = true; }, Unknown::kVolumes, "volumes"},
      {[](Pod& pod) { pod.scored.pod_affinity = true; }, Unknown::kPodAffinity, "pod_affinity"},
      {[](Pod& pod) { pod.scored.hard_spread = true; }, Unknown::kSpread, "spread"},
      // Preferences that do not hold exclude no node.
      {[](Pod& pod) { pod.scored.soft_spread = pod.scored.spread_constraints = true; },
       Unknown::kNone, "none"},
      {[](Pod& pod) { pod.scored.node_preferences = true; }, Unknown::kNone, "none"},
      // Views do not keep what Node Feature Discovery says of nodes.
      {[](Pod& pod) {
         pod.needs.selector = {{"a", "1"}, {kAvx, "true"}};
       },
       Unknown::kNodeFeatures, "node_features"},
      {[](Pod& pod) {
         pod.needs.terms = {{.expressions = {{"zone", "In", {"a"}}}},
                            {.expressions = {{"zone", "In", {"b"}}, {kAvx, "DoesNotExist", {}}}}};
       },
       Unknown::kNodeFeatures, "node_features"},
      {[](Pod& pod) {
         pod.needs = {.selector = {{"feature", kAvx}},
                      .terms = {{{.expressions = {{"zone", "In", {kAvx}}}}}}};
       },
       Unknown::kNone, "none"},
  };
  for (const auto& [need, unknown, name] : cases) {
    Pod pod;
    need(pod);
    EXPECT_EQ(UnknownNeed(pod), unknown) << name;
    EXPECT_EQ(NameOf(UnknownNeed(pod)), name);
  }
}

TEST(IsFull, OnlyWhatPodsTookMakesANodeFull) {
  NodeState state;
  state.node = GpuNode();
  Pod pod{.requests = Of({{"nvidia.com/gpu", 4}, {"cpu", 1000}})};
  EXPECT_FALSE(IsFull(pod, state));
  Book(Pod{.requests = Of({{"nvidia.com/gpu", 4}})}, state);
  EXPECT_FALSE(IsFull(pod, state));
  Book(Pod{.requests = Of({{"nvidia.com/gpu", 1}})}, state);
  EXPECT_TRUE(IsFull(pod, state));
  // kube-scheduler may have DynamicResources hand these out, or may ignore them.
  pod.requests.Set("example.com/other", 1);
  EXPECT_FALSE(IsFull(pod, state));
}

}  // namespace
}  // namespace berth::policies::fit
