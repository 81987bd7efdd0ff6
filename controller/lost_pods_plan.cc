#include "controller/lost_pods_plan.h"

#include <string_view>

namespace berth::controller {

namespace {

std::optional<model::Time> LostSince(const model::NodeState* state) {
  if (state == nullptr || state->quarantined) return std::nullopt;
  return model::NotReadySince(state->node);
}

std::optional<model::Time> LostSince(const model::ClusterView& view, std::string_view node) {
  const auto index = view.Find(node);
  return index ? LostSince(view.At(*index)) : std::nullopt;
}

bool ManyAreLost(const model::ClusterView& view, double max_share) {
  std::size_t nodes = 0;
  std::size_t lost = 0;
  for (model::NodeIndex i = 0; i < view.EndIndex(); ++i) {
    const model::NodeState* const state = view.At(i);
    if (state == nullptr) continue;
    ++nodes;
    if (LostSince(state)) ++lost;
  }
  return lost > 1 && static_cast<double>(lost) > max_share * static_cast<double>(nodes);
}

}  // namespace

std::size_t CountLostPods(const model::ClusterView& view, const cluster::TerminatingPods& pods,
                          model::Time now) {
  std::size_t count = 0;
  pods.ForEach([&](const cluster::TerminatingPods::Record& pod) {
    if (pod.deleted <= now && LostSince(view, pod.node)) ++count;
  });
  return count;
}

std::vector<LostPod> LostPodsPlan::Due(const model::ClusterView& view,
                                       const cluster::TerminatingPods& pods, model::Time time,
                                       Clock::time_point now) {
  std::vector<LostPod> due;
  if (Brakes(view, now)) return due;
  pods.ForEach([&](const cluster::TerminatingPods::Record& pod) {
    const auto since = LostSince(view, pod.node);
    if (pod.deleted > time || !since) return;
    if (model::SaturatingAdd(*since, config_.force_delete_after) > time) return;
    due.push_back({pod.namespace_name, pod.name, pod.uid, pod.node, pod.job});
  });
  return due;
}

bool LostPodsPlan::Brakes(const model::ClusterView& view, Clock::time_point now) {
  if (config_.max_share >= 1) return false;
  if (!braked_ || ManyAreLost(view, config_.max_share)) braked_ = now;
  return now < *braked_ + config_.force_delete_after;
}

}  // namespace berth::controller
