#include "extender/victim_choice.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "model/demand.h"
#include "server/log.h"

namespace berth::extender {

namespace {

constexpr const char* kStateNames[] = {"fresh", "old", "none", "unreadable", "future"};
constexpr std::chrono::seconds kLineInterval{10};

// The least that the highest priority of `count` pods of the node can be; nothing if its pods are
// not known.
std::optional<std::int64_t> LeastTop(const model::NodeState* node, std::size_t count) {
  if (node == nullptr || node->bound.size() < count || count == 0) return std::nullopt;
  std::vector<std::int64_t> priorities;
  for (const model::Demand* demand : node->bound) priorities.push_back(demand->priority);
  const auto top = priorities.begin() + static_cast<std::ptrdiff_t>(count - 1);
  std::nth_element(priorities.begin(), top, priorities.end());
  return *top;
}

}  // namespace

VictimChoice::VictimChoice(server::Metrics& metrics) : lines_(kLineInterval) {
  auto& victims = prometheus::BuildCounter()
                      .Name("berth_preemption_victims_total")
                      .Help("Victims that kube-scheduler offered, by what they say of checkpoints.")
                      .Register(metrics.registry());
  for (std::size_t state = 0; state < kStates; ++state) {
    victims_[state] = &victims.Add({{"checkpoint", kStateNames[state]}});
  }
  spared_ = &prometheus::BuildCounter()
                 .Name("berth_preemption_nodes_spared_total")
                 .Help("Candidates left out because pods with fresh checkpoints can go instead.")
                 .Register(metrics.registry())
                 .Add({});
}

std::vector<NodeVictims> VictimChoice::Choose(std::vector<NodeVictims> candidates,
                                              const cluster::Snapshot::Reader& reader,
                                              model::Time now) {
  std::vector<Cost> costs;
  costs.reserve(candidates.size());
  for (const NodeVictims& node : candidates) costs.push_back(CostOf(node, reader, now));
  const auto is_spared = [&costs](const Cost& cost) {
    if (cost.fresh || !cost.known) return false;
    return std::ranges::any_of(costs, [&cost](const Cost& other) {
      return other.fresh && other.violations <= cost.violations &&
             other.priority <= cost.priority && other.victims <= cost.victims;
    });
  };
  std::vector<NodeVictims> kept;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!is_spared(costs[i])) kept.push_back(std::move(candidates[i]));
  }
  spared_->Increment(static_cast<double>(costs.size() - kept.size()));
  return kept;
}

VictimChoice::Cost VictimChoice::CostOf(const NodeVictims& node,
                                        const cluster::Snapshot::Reader& reader, model::Time now) {
  Cost cost{.violations = node.pdb_violations,
            .priority = std::numeric_limits<std::int32_t>::min(),
            .victims = node.uids.size()};
  for (const std::string_view uid : node.uids) {
    const cluster::CheckpointTimes::Record* const record = reader.Checkpoints().Find(uid);
    const State state = StateOf(record, now);
    victims_[state]->Increment();
    cost.fresh = cost.fresh && state == kIsFresh;
    if (record != nullptr) cost.priority = std::max<std::int64_t>(cost.priority, record->priority);
  }
  if (cost.fresh) return cost;
  const auto index = reader.Find(node.name);
  const auto least = LeastTop(index ? reader.At(*index) : nullptr, node.uids.size());
  cost.known = least.has_value();
  cost.priority = std::max(cost.priority, least.value_or(cost.priority));
  return cost;
}

VictimChoice::State VictimChoice::StateOf(const cluster::CheckpointTimes::Record* record,
                                          model::Time now) {
  if (record == nullptr) return kIsAbsent;
  const bool is_readable = record->at != model::kNoTime;
  const bool is_past = record->at <= now + kAhead;
  if (is_readable && is_past) return now - record->at <= kFresh ? kIsFresh : kIsOld;
  if (const auto held_back = lines_.Admit()) {
    server::Log(server::LogLevel::kWarning,
                "the annotation checkpointed-at counts as absent; write the time of the last "
                "checkpoint in RFC 3339, such as 2026-01-31T12:00:00Z",
                {{"pod", record->pod},
                 {"reason", is_readable ? "it is in the future" : "it is no time"},
                 {"linesHeldBack", *held_back}});
  }
  return is_readable ? kIsInTheFuture : kIsUnreadable;
}

}  // namespace berth::extender
