#include "extender/victim_choice.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
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

// The lowest priorities of candidates, by how many victims they have. kube-scheduler may offer all
// nodes of a large cluster, so each is compared with these and not with all others.
class LeastCosts {
 public:
  void Add(std::size_t victims, std::int64_t priority) {
    if (HasUpTo(victims, priority)) return;
    auto worse = std::next(priorities_.insert_or_assign(victims, priority).first);
    while (worse != priorities_.end() && worse->second >= priority) {
      worse = priorities_.erase(worse);
    }
  }

  // Whether a candidate was added that has no more victims and no higher priority.
  bool HasUpTo(std::size_t victims, std::int64_t priority) const {
    const auto beyond = priorities_.upper_bound(victims);
    return beyond != priorities_.begin() && std::prev(beyond)->second <= priority;
  }

 private:
  // By the number of victims. The more there are, the lower the priority is: what has more of both
  // than another candidate is not kept.
  std::map<std::size_t, std::int64_t> priorities_;
};

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
  const std::vector<bool> spared = Spared(costs);
  std::vector<NodeVictims> kept;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!spared[i]) kept.push_back(std::move(candidates[i]));
  }
  spared_->Increment(static_cast<double>(costs.size() - kept.size()));
  return kept;
}

std::vector<bool> VictimChoice::Spared(const std::vector<Cost>& costs) {
  // By violations, so that a candidate violates no less than those before it. Of as many, the fresh
  // ones come first.
  std::vector<std::size_t> order(costs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&costs](std::size_t i) {
    return std::pair(costs[i].violations, !costs[i].fresh);
  });
  std::vector<bool> spared(costs.size());
  LeastCosts fresh;
  for (const std::size_t i : order) {
    const Cost& cost = costs[i];
    if (cost.fresh) {
      fresh.Add(cost.victims, cost.priority);
    } else if (cost.known) {
      spared[i] = fresh.HasUpTo(cost.victims, cost.priority);
    }
  }
  return spared;
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
