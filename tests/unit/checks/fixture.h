#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "checks/check_pod.h"
#include "checks/plan.h"
#include "policies/scheduling/engine.h"
#include "tests/unit/policies/fixtures.h"

namespace berth::checks {

using policies::scheduling::kGpu;
using policies::scheduling::kNow;

inline constexpr char kCondition[] = "GPURuntimeError";
inline const Names kNames = {.prefix = "berth.dev", .namespace_name = "berth-system"};

inline std::shared_ptr<const policies::scheduling::SchedulingEngine> Engine() {
  static const auto engine = std::make_shared<const policies::scheduling::SchedulingEngine>(
      policies::scheduling::Catalog(), "berth.dev", policies::scheduling::SchedulingConfig());
  return engine;
}

inline ActiveCheck VectorAdd() {
  return {.name = "vector-add",
          .image = "registry.example/vector-add:1",
          .every = std::chrono::hours(24),
          .retry_every = std::chrono::minutes(10),
          .timeout = std::chrono::minutes(2),
          .max_share = 0.5};
}

/// An idle node of eight A100 that is Ready.
inline model::NodeState IdleNode(const std::string& name) {
  model::NodeState state = policies::scheduling::GpuNode(name, "NVIDIA-A100-SXM4-80GB");
  state.node.uid = name + "-uid";
  state.node.conditions = {{.type = "Ready", .status = model::ConditionStatus::kTrue}};
  state.node.allocatable.Set("cpu", 64'000);
  state.node.allocatable.Set("memory", std::int64_t{512} << 30);
  state.node.allocatable.Set("pods", 110);
  return state;
}

/// The same node, on which the check said that, so long ago.
inline model::NodeState CheckedNode(const std::string& name, bool failed,
                                    std::chrono::minutes ago) {
  model::NodeState state = IdleNode(name);
  state.node.conditions.push_back(
      {.type = kCondition,
       .status = failed ? model::ConditionStatus::kTrue : model::ConditionStatus::kFalse,
       .last_transition = kNow - std::chrono::hours(100),
       .last_heartbeat = kNow - ago});
  return state;
}

/// The pod of a check that runs on the node.
inline CheckPod RunningOn(const std::string& node) {
  return {.name = "pod-of-" + node,
          .uid = "pod-of-" + node + "-uid",
          .check = "vector-add",
          .node = node,
          .node_uid = node + "-uid",
          .created = kNow - std::chrono::seconds(10)};
}

/// A pod that waits for so many GPUs.
inline model::Pod WaitingPod(const std::string& name, std::int64_t gpus = 1) {
  model::Pod pod = policies::scheduling::PodAskingFor(kGpu, gpus);
  pod.name = name;
  pod.uid = name + "-uid";
  return pod;
}

}  // namespace berth::checks
