#include "planner/evictions.h"

#include <tuple>

#include "policies/fit/fit.h"

namespace berth::planner {

using model::NodeIndex;
using policies::fit::Eviction;

std::optional<Eviction> Evictions::Judge(NodeIndex index) const {
  const model::NodeState* const node = view_.At(index);
  // The cheapest question comes first: most clusters have few victims.
  if (node == nullptr || !policies::fit::HasVictims(pod_, *node)) return std::nullopt;
  if (policies::fit::JudgeNode(pod_, node->node) != policies::fit::Misfit::kNone) {
    return std::nullopt;
  }
  if (!prepared_.Judge(*node).fits) return std::nullopt;
  return policies::fit::JudgeEviction(pod_, *node);
}

std::optional<NodeIndex> Evictions::Best(std::optional<NodeIndex> avoided) const {
  using Choice = std::tuple<bool, Eviction, NodeIndex>;
  std::optional<Choice> best;
  std::size_t compared = 0;
  for (NodeIndex node = 0; node < view_.EndIndex() && compared < kMostCompared; ++node) {
    if (view_.HasBookings(node)) continue;
    const std::optional<Eviction> eviction = Judge(node);
    if (!eviction) continue;
    ++compared;
    const Choice choice(avoided == node, *eviction, node);
    if (!best || choice < *best) best = choice;
  }
  return best ? std::optional(std::get<NodeIndex>(*best)) : std::nullopt;
}

bool NamesReason(std::string_view message, const policies::scheduling::ReasonTable& reasons) {
  for (std::size_t id = 1; id < reasons.size(); ++id) {
    const auto& reason = reasons[static_cast<policies::scheduling::ReasonId>(id)];
    if (message.find(reason.text) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace berth::planner
