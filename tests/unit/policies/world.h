#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/policies/fixtures.h"

namespace berth::policies::scheduling {

inline constexpr std::size_t kNodes = 60;

/// A random cluster and a random pod, the same for the same seed.
class World {
 public:
  explicit World(std::uint32_t seed) : random_(seed) {
    for (std::size_t i = 0; i < kNodes; ++i) nodes.push_back(MakeNode("node-" + std::to_string(i)));
    pod = MakePod();
  }

  std::vector<model::NodeState> nodes;
  model::Pod pod;

 private:
  std::size_t Below(std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_);
  }

  template <typename T>
  T OneOf(std::initializer_list<T> choices) {
    return *(choices.begin() + Below(choices.size()));
  }

  model::Condition MakeCondition() {
    const auto ago = model::Duration{static_cast<std::int64_t>(Below(2000)) - 200};
    return {OneOf<std::string>({"GPUIsLost", "PCIeLinkDegraded", "NICLinkDown", "Ready", "Odd"}),
            OneOf({model::ConditionStatus::kTrue, model::ConditionStatus::kFalse,
                   model::ConditionStatus::kFalse, model::ConditionStatus::kUnknown}),
            OneOf({kNow - ago, model::kNoTime}), OneOf({kNow - ago, model::kNoTime})};
  }

  model::NodeState MakeNode(std::string name) {
    const auto product = OneOf<std::string>(
        {"Tesla-V100-SXM2-16GB", "NVIDIA-A100-SXM4-40GB", "NVIDIA-A30", "Tesla-P100-PCIE-16GB"});
    auto node =
        Below(4) == 0 ? NodeWith(std::move(name), kMnCore, 4) : GpuNode(std::move(name), product);
    if (Below(2) == 0) {
      node.node.labels.emplace_back("nvidia.com/gpu.memory",
                                    OneOf<std::string>({"16384", "39538", "", "x"}));
      model::Normalize(node.node.labels);
    }
    for (std::size_t i = Below(4); i > 0; --i) node.node.conditions.push_back(MakeCondition());
    for (const model::Condition& condition : node.node.conditions) {
      if (Below(3) > 0) continue;
      node.past.push_back({condition.type, OneOf({kNow - std::chrono::hours(9), model::kNoTime}),
                           condition.last_transition});
    }
    if (Below(4) == 0) {
      node.node.taints.push_back({OneOf<std::string>({"a", "b"}), "",
                                  OneOf<std::string>({"PreferNoSchedule", "NoSchedule"})});
    }
    node.used.Set(kGpu, static_cast<std::int64_t>(Below(12)));
    if (Below(5) == 0) node.node.allocatable.Set(kGpu, 7);
    return node;
  }

  model::Pod MakePod() {
    auto made = PodAskingFor(OneOf({kGpu, kMnCore}), static_cast<std::int64_t>(1 + Below(8)));
    const auto models = OneOf<std::string>({"", "A100", "A100,V100", "V100,MN-Core,A30", "Nope"});
    const auto memory = OneOf<std::string>({"", "16Gi", "40Gi", "1e3Ki"});
    if (!memory.empty()) made.annotations.emplace_back("berth.dev/accelerator-memory", memory);
    if (!models.empty()) made.annotations.emplace_back("berth.dev/accelerators", models);
    model::Normalize(made.annotations);
    if (Below(3) == 0) made.tolerations.push_back({"a", "Exists", "", ""});
    return made;
  }

  std::mt19937 random_;
};

}  // namespace berth::policies::scheduling
