#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/accelerator.h"
#include "model/avoid.h"
#include "model/cluster_view.h"
#include "model/kept_room.h"
#include "model/past_status.h"
#include "model/pod.h"
#include "model/time.h"

namespace berth::policies::scheduling {

/// A moment in the tests' own time; kNow is long after the epoch and means nothing else.
inline constexpr model::Time kNow{model::Duration{1'800'000'000}};

/// The product of a V100, as its label says it.
inline constexpr char kV100[] = "Tesla-V100-SXM2-32GB";

inline constexpr std::string_view kGpu = "nvidia.com/gpu";
inline constexpr std::string_view kMnCore = "preferred.jp/mncore";

/// The default catalogue.
inline std::shared_ptr<const model::AcceleratorCatalog> Catalog() {
  static const auto catalog = std::make_shared<const model::AcceleratorCatalog>(
      model::AcceleratorCatalog::Make(model::AcceleratorCatalog::Defaults()).value());
  return catalog;
}

/// A pod that asks for `count` of `resource`.
inline model::Pod PodAskingFor(std::string_view resource, std::int64_t count,
                               model::StringMap annotations = {}) {
  model::Pod pod{.namespace_ = "team", .name = "train", .uid = "uid"};
  pod.requests.Set(resource, count);
  pod.annotations = std::move(annotations);
  model::Normalize(pod.annotations);
  return pod;
}

/// A node with `devices` of `resource`, whose accelerator the default catalogue tells.
inline model::NodeState NodeWith(std::string name, std::string_view resource, std::int64_t devices,
                                 model::StringMap labels = {}) {
  model::NodeState state;
  state.node.name = std::move(name);
  state.node.labels = std::move(labels);
  model::Normalize(state.node.labels);
  state.node.capacity.Set(resource, devices);
  state.node.allocatable.Set(resource, devices);
  state.accelerator = Catalog()->Match(state.node);
  state.gpu = model::ReadGpuLabels(state.node.labels);
  return state;
}

inline model::NodeState GpuNode(std::string name, std::string product, std::int64_t devices = 8) {
  return NodeWith(std::move(name), kGpu, devices, {{"nvidia.com/gpu.product", std::move(product)}});
}

/// A view over nodes in a vector, which counts pools by looking at every node.
class FixedView : public model::ClusterView, public model::PoolStats {
 public:
  using Index = model::AcceleratorCatalog::Index;

  explicit FixedView(std::vector<model::NodeState> nodes = {}) : nodes_(std::move(nodes)) {}

  model::NodeIndex EndIndex() const override {
    return static_cast<model::NodeIndex>(nodes_.size());
  }
  const model::NodeState* At(model::NodeIndex index) const override { return &nodes_[index]; }
  std::optional<model::NodeIndex> Find(std::string_view name) const override {
    for (model::NodeIndex i = 0; i < EndIndex(); ++i) {
      if (nodes_[i].node.name == name) return i;
    }
    return std::nullopt;
  }
  std::uint64_t Generation() const override { return 1; }
  const model::PoolStats& Pools() const override { return *this; }
  std::optional<model::PlanningPlace> LastKept(const model::PlanningPlace& place) const override {
    std::optional<model::PlanningPlace> last;
    for (const model::NodeState& node : nodes_) {
      for (const auto& [name, text] : node.node.annotations) {
        for (const model::KeptRoom& room : model::ParseKeptRooms(text)) {
          if (PlaceOf(room) <= place) last = std::max(last, std::optional(PlaceOf(room)));
        }
      }
    }
    return last;
  }

  std::size_t Nodes(Index accelerator) const override {
    return static_cast<std::size_t>(
        std::count_if(nodes_.begin(), nodes_.end(),
                      [&](const auto& node) { return node.accelerator == accelerator; }));
  }

  model::ConditionShare NodesWith(Index accelerator, std::string_view type,
                                  model::ConditionStatus bad, model::Time stale_before,
                                  model::Duration long_bad) const override {
    model::ConditionShare share;
    for (const model::NodeState& node : nodes_) {
      if (node.accelerator != accelerator) continue;
      const auto& conditions = node.node.conditions;
      const auto found = std::find_if(conditions.begin(), conditions.end(),
                                      [&](const auto& each) { return each.type == type; });
      if (found == conditions.end()) continue;
      const bool is_bad = found->status == bad;
      const bool stale =
          found->last_heartbeat != model::kNoTime && found->last_heartbeat < stale_before;
      const bool unknown = stale || found->status == model::ConditionStatus::kUnknown;
      share.bad += is_bad ? 1 : 0;
      share.unknown += !is_bad && unknown ? 1 : 0;
      const bool was_bad = found->status == model::ConditionStatus::kUnknown &&
                           std::any_of(node.past.begin(), node.past.end(), [&](const auto& past) {
                             const bool lasts =
                                 past.type == type && past.status == bad && past.lasts;
                             return lasts && model::LastedFor(past) >= long_bad;
                           });
      share.was_bad += was_bad ? 1 : 0;
    }
    return share;
  }

  bool IsAvoided(std::string_view owner) const override {
    return std::any_of(nodes_.begin(), nodes_.end(), [owner](const model::NodeState& node) {
      const auto& annotations = node.node.annotations;
      return std::any_of(annotations.begin(), annotations.end(), [owner](const auto& each) {
        return model::AvoidedUntil(each.second, owner).has_value();
      });
    });
  }

 private:
  std::vector<model::NodeState> nodes_;
};

}  // namespace berth::policies::scheduling
