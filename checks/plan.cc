#include "checks/plan.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "policies/fit/fit.h"

namespace berth::checks {

namespace {

using policies::fit::Misfit;

const model::Condition* FindCondition(const model::Node& node, const std::string& type) {
  const auto found = std::ranges::find(node.conditions, type, &model::Condition::type);
  return found == node.conditions.end() ? nullptr : &*found;
}

bool IsReady(const model::Node& node) {
  const model::Condition* const ready = FindCondition(node, "Ready");
  return ready != nullptr && ready->status == model::ConditionStatus::kTrue;
}

const model::NodeState* NodeOf(const model::ClusterView& view, const CheckPod& pod) {
  const auto index = view.Find(pod.node);
  return index ? view.At(*index) : nullptr;
}

std::size_t MostOf(const ActiveCheck& check, std::size_t nodes) {
  return std::max<std::size_t>(
      1, static_cast<std::size_t>(check.max_share * static_cast<double>(nodes)));
}

}  // namespace

Plan::Plan(std::vector<ActiveCheck> checks,
           std::shared_ptr<const policies::scheduling::SchedulingEngine> engine, Names names)
    : checks_(std::move(checks)),
      engine_(std::move(engine)),
      names_(std::move(names)),
      claimants_(engine_, names_) {}

Plan::Round Plan::Decide(const model::ClusterView& view, const std::vector<CheckPod>& pods,
                         model::Time time, Clock::time_point now) {
  Round round;
  Meet(pods, now);
  std::vector<Claimants::Place> places;
  for (std::size_t i = 0; i < pods.size(); ++i) {
    if (pods[i].outcome != Outcome::kOpen || pods[i].deleted) continue;
    std::string why = WhyGivenUp(view, pods[i], time, now);
    if (why.empty()) {
      places.push_back({NodeOf(view, pods[i]), i});
    } else {
      round.endings.push_back({.pod = i, .why = std::move(why)});
    }
  }
  for (Claimants::Claim& claim : claimants_.Serve(view, std::move(places), time, now)) {
    round.endings.push_back({.pod = claim.place, .for_pod = std::move(claim.pod)});
  }
  if (round.endings.empty()) round.order = Next(view, pods, time, now);
  return round;
}

const ActiveCheck* Plan::Find(const std::string& name) const {
  const auto found = std::ranges::find(checks_, name, &ActiveCheck::name);
  return found == checks_.end() ? nullptr : &*found;
}

void Plan::OnCreated(const std::string& uid, Clock::time_point now) {
  known_[uid] = {.since = now, .is_own = true};
}

void Plan::OnTried(const std::string& check, const std::string& node, Clock::time_point now) {
  const ActiveCheck* const known = Find(check);
  if (known == nullptr) return;
  paused_[{check, node}] = now + known->retry_every;
  tried_[{check, node}] = now;
}

void Plan::OnStoodBack(const std::string& check, const std::string& node, Clock::time_point now) {
  const ActiveCheck* const known = Find(check);
  if (known != nullptr) paused_[{check, node}] = now + known->every;
}

void Plan::Prune(Clock::time_point now) {
  std::erase_if(paused_, [now](const auto& each) { return now >= each.second; });
  const auto is_old = [&](const auto& each) {
    return now >= each.second + Find(each.first.first)->every;
  };
  std::erase_if(tried_, is_old);
  std::erase_if(judged_, is_old);
}

void Plan::Meet(const std::vector<CheckPod>& pods, Clock::time_point now) {
  std::map<std::string, Acquaintance> known;
  for (const CheckPod& pod : pods) {
    const auto found = known_.find(pod.uid);
    known[pod.uid] = found == known_.end() ? Acquaintance{.since = now} : found->second;
  }
  known_ = std::move(known);
}

std::string Plan::WhyGivenUp(const model::ClusterView& view, const CheckPod& pod, model::Time time,
                             Clock::time_point now) const {
  const ActiveCheck* const check = Find(pod.check);
  if (check == nullptr) return "there is no such check any more";
  const model::NodeState* const node = NodeOf(view, pod);
  if (node == nullptr || node->node.uid != pod.node_uid) return "the node is gone";
  const Acquaintance& known = known_.at(pod.uid);
  const model::Duration longest = check->timeout + kOverdue;
  const bool is_overdue =
      now >= known.since + longest ||
      // What another leader has begun does not begin anew with each leader.
      (!known.is_own && time >= model::SaturatingAdd(pod.created, longest + model::kClockError));
  return is_overdue ? "it has not ended in time" : "";
}

std::optional<Order> Plan::Next(const model::ClusterView& view, const std::vector<CheckPod>& pods,
                                model::Time time, Clock::time_point now) {
  if (now < next_look_ || pods.size() >= kMost) return std::nullopt;
  next_look_ = now + kPace;
  Prune(now);
  Counts running;
  for (const CheckPod& pod : pods) {
    const model::NodeState* const node = NodeOf(view, pod);
    if (node != nullptr) ++running[node->accelerator];
  }
  std::size_t looks = 0;
  for (const Candidate& candidate : Due(view, pods, time, now)) {
    const model::NodeState& node = *view.At(candidate.node);
    const std::size_t nodes = view.Pools().Nodes(node.accelerator);
    if (running[node.accelerator] >= MostOf(checks_[candidate.check], nodes)) continue;
    if (auto order = OrderFor(candidate, view, time, now)) return order;
    const Pair pair(checks_[candidate.check].name, node.node.name);
    paused_[pair] = now + kLeftOut;
    judged_[pair] = now;
    if (++looks == kLooks) break;
  }
  return std::nullopt;
}

std::vector<Plan::Candidate> Plan::Due(const model::ClusterView& view,
                                       const std::vector<CheckPod>& pods, model::Time time,
                                       Clock::time_point now) const {
  std::set<std::string_view> taken;
  for (const CheckPod& pod : pods) taken.insert(pod.node);
  std::vector<Candidate> due;
  for (model::NodeIndex index = 0; index < view.EndIndex(); ++index) {
    const model::NodeState* const node = view.At(index);
    if (node == nullptr || !IsIdle(*node) || taken.contains(node->node.name)) continue;
    for (std::size_t check = 0; check < checks_.size(); ++check) {
      auto candidate = DueOn(checks_[check], *node, time, now);
      if (!candidate) continue;
      candidate->check = check;
      candidate->node = index;
      due.push_back(*candidate);
    }
  }
  std::ranges::sort(due, [](const Candidate& a, const Candidate& b) {
    return std::tie(a.tried, a.judged, a.due, a.node, a.check) <
           std::tie(b.tried, b.judged, b.due, b.node, b.check);
  });
  return due;
}

std::optional<Plan::Candidate> Plan::DueOn(const ActiveCheck& check, const model::NodeState& node,
                                           model::Time time, Clock::time_point now) const {
  if (!Checks(check, node)) return std::nullopt;
  const auto paused = paused_.find({check.name, node.node.name});
  if (paused != paused_.end() && now < paused->second) return std::nullopt;
  Candidate candidate;
  const auto tried = tried_.find({check.name, node.node.name});
  if (tried != tried_.end()) candidate.tried = tried->second;
  const auto judged = judged_.find({check.name, node.node.name});
  if (judged != judged_.end()) candidate.judged = judged->second;
  const model::Condition* const condition = FindCondition(node.node, check.condition);
  if (condition == nullptr) return candidate;
  candidate.failed = condition->status == model::ConditionStatus::kTrue;
  const model::Duration pause = candidate.failed ? check.retry_every : check.every;
  candidate.due = model::SaturatingAdd(condition->last_heartbeat, pause);
  if (candidate.due > time) return std::nullopt;
  return candidate;
}

bool Plan::Checks(const ActiveCheck& check, const model::NodeState& node) const {
  if (check.accelerators.empty()) return true;
  const std::string& name = engine_->catalog()[node.accelerator].name;
  return std::ranges::find(check.accelerators, name) != check.accelerators.end();
}

bool Plan::IsIdle(const model::NodeState& node) const {
  if (node.quarantined || node.node.unschedulable || !IsReady(node.node)) return false;
  if (node.accelerator == model::AcceleratorCatalog::kNone) return false;
  const model::AcceleratorSpec& spec = engine_->catalog()[node.accelerator];
  // Without devices that kubelet counts, nobody could be kept off them.
  if (node.node.allocatable.Get(spec.resource) <= 0) return false;
  return !model::HasDevicesOf(spec, node.used);
}

std::optional<Order> Plan::OrderFor(const Candidate& candidate, const model::ClusterView& view,
                                    model::Time time, Clock::time_point now) const {
  const model::NodeState& node = *view.At(candidate.node);
  const std::string& resource = engine_->catalog()[node.accelerator].resource;
  Order order{.check = checks_[candidate.check],
              .node = node.node.name,
              .node_uid = node.node.uid,
              .resource = resource,
              .devices = node.node.allocatable.Get(resource)};
  const model::Pod pod = ModelOf(order, names_);
  if (policies::fit::JudgeNode(pod, node.node) != Misfit::kNone) return std::nullopt;
  if (policies::fit::JudgeRoom(pod, node) != Misfit::kNone) return std::nullopt;
  if (!engine_->Prepare(pod, view, time).Judge(node).fits) {
    if (!candidate.failed) return std::nullopt;
    order.directly = true;
  }
  if (claimants_.Want(view, node, time, now)) return std::nullopt;
  return order;
}

}  // namespace berth::checks
