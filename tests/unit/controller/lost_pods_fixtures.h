#pragma once

#include <chrono>
#include <string>

#include "cluster/snapshot.h"
#include "model/node.h"
#include "model/pod.h"
#include "tests/unit/controller/fixtures.h"

namespace berth::controller {

/// A node whose condition Ready has had that status for so long.
inline model::Node NodeThatIs(model::ConditionStatus ready, std::chrono::minutes since,
                              const std::string& name = "gpu-1") {
  model::Node node = policies::scheduling::GpuNode(name, "Tesla-V100-SXM2-32GB").node;
  node.conditions = {
      {.type = "GPUIsLost",
       .status = model::ConditionStatus::kTrue,
       .last_transition = policies::scheduling::kNow - std::chrono::hours(9)},
      {.type = "Ready", .status = ready, .last_transition = policies::scheduling::kNow - since}};
  return node;
}

inline model::Node LostNode(std::chrono::minutes since, const std::string& name = "gpu-1") {
  return NodeThatIs(model::ConditionStatus::kUnknown, since, name);
}

inline model::Node ReadyNode(const std::string& name) {
  return NodeThatIs(model::ConditionStatus::kTrue, std::chrono::hours(9), name);
}

/// A pod of Job "train" that should have been gone a minute ago.
inline model::Pod HangingPod(const std::string& node = "gpu-1",
                             const std::string& name = "train-0") {
  model::Pod pod = PodOn(node, name);
  pod.job = "train";
  pod.deleted = policies::scheduling::kNow - std::chrono::minutes(1);
  return pod;
}

}  // namespace berth::controller
