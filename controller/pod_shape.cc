#include "controller/pod_shape.h"

#include <algorithm>
#include <span>

namespace berth::controller {

namespace {

// Returns how many of the recoveries, counted from the first, are at least kDelay old.
std::size_t CountRipe(std::span<const Recovery> recoveries, PodShape::Clock::time_point now) {
  const auto ripe = [&](const Recovery& each) { return each.at + PodShape::kDelay <= now; };
  const auto end = std::partition_point(recoveries.begin(), recoveries.end(), ripe);
  return static_cast<std::size_t>(end - recoveries.begin());
}

}  // namespace

bool PodShape::HasRecovered(policies::scheduling::ReasonId former, Clock::time_point since,
                            Clock::time_point now) const {
  const std::span<const Recovery> recoveries = nodes_.Recoveries(former);
  const std::size_t ripe = CountRipe(recoveries, now);
  return ripe > 0 && recoveries[ripe - 1].at >= since;
}

void PodShape::BeginRound() {
  recoveries_.clear();
  next_node_ = 0;
}

// Looks at the latest recovery first. If it is too old for this pod, so are those before it.
std::optional<model::NodeIndex> PodShape::TakeRecovered(policies::scheduling::ReasonId former,
                                                        Clock::time_point since,
                                                        Clock::time_point now, FreeDevices& free) {
  const std::span<const Recovery> recoveries = nodes_.Recoveries(former);
  if (recoveries.empty()) return std::nullopt;
  std::size_t& left = recoveries_.try_emplace(former, CountRipe(recoveries, now)).first->second;
  for (; left > 0 && recoveries[left - 1].at >= since; --left) {
    const model::NodeIndex node = recoveries[left - 1].node;
    if (free.TryPromise(node, nodes_.requests())) return node;
  }
  return std::nullopt;
}

std::optional<model::NodeIndex> PodShape::TakeFitting(FreeDevices& free) {
  for (; next_node_ < nodes_.end(); ++next_node_) {
    if (nodes_.Fits(next_node_) && free.TryPromise(next_node_, nodes_.requests())) {
      return next_node_;
    }
  }
  return std::nullopt;
}

}  // namespace berth::controller
