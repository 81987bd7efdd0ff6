#include "planner/preflight.h"

#include <algorithm>
#include <array>

#include "model/duration.h"

namespace berth::planner {

namespace {

using Pods = std::vector<const PreflightPod*>;
using Word = PreflightAnswer::Word;

bool IsOpen(const PreflightPod* pod) {
  return pod != nullptr && pod->outcome == PreflightOutcome::kOpen;
}

bool HasFailed(const PreflightPod* pod) {
  return pod != nullptr && pod->outcome == PreflightOutcome::kFailed;
}

bool HasPassed(const PreflightPod* pod) {
  return pod != nullptr && pod->outcome == PreflightOutcome::kPassed;
}

std::string CountOf(std::size_t some, std::size_t of) {
  return std::to_string(some) + " of " + std::to_string(of) + " nodes";
}

}  // namespace

std::string_view NameOf(PreflightResult result) {
  static constexpr std::array<std::string_view, kPreflightResults> kNames = {
      "passed", "failed", "unclear", "not_run", "dropped"};
  return kNames[static_cast<std::size_t>(result)];
}

std::vector<std::size_t> PlacesAtFault(const Pods& pods, std::int64_t node_fault_code) {
  std::vector<std::size_t> failed;
  std::vector<std::size_t> said;
  std::size_t told = 0;
  for (std::size_t rank = 0; rank < pods.size(); ++rank) {
    if (HasPassed(pods[rank])) ++told;
    if (!HasFailed(pods[rank])) continue;
    ++told;
    failed.push_back(rank);
    if (pods[rank]->exit_code == node_fault_code) said.push_back(rank);
  }
  // A peer of a node that hangs may fail while the node itself tells nothing.
  if (said.empty() && told == pods.size()) said = std::move(failed);
  if (2 * said.size() > pods.size()) said.clear();
  return said;
}

bool Preflights::Wants(const PreflightRequest& request) const {
  if (!config_.enabled() || request.places.size() < 2) return false;
  const auto least = static_cast<std::size_t>(config_.min_nodes);
  return request.said.value_or(request.places.size() >= least);
}

Preflights::Clock::duration Preflights::Patience() const {
  return std::clamp<Clock::duration>(kRounds * pace_, kForgotten, kMostForgotten);
}

PreflightAnswer Preflights::Ask(const PreflightRequest& request, Clock::time_point now) {
  pace_ = request.pace;
  auto found = runs_.find(request.gang);
  const bool wants = Wants(request);
  if (found == runs_.end()) {
    if (!wants) return {};
    found = runs_.emplace(request.gang, Run{.id = request.run, .begun = now}).first;
    found->second.places = request.places;
  }
  Run& run = found->second;
  const bool same = wants && run.id == request.run;
  // An earlier one first has to end, so that no fault is lost, and its pods are gone.
  if (!same && run.phase == Phase::kRuns) {
    End(run, PreflightResult::kDropped, "the gang has other nodes by now", now);
  }
  if (!same && run.phase == Phase::kOver) {
    runs_.erase(found);
    return Ask(request, now);
  }
  run.asked = now;
  if (!same) return {Word::kWait, "an earlier preflight ends"};
  return AnswerOf(run, now);
}

PreflightAnswer Preflights::AnswerOf(const Run& run, Clock::time_point now) const {
  if (run.phase != Phase::kOver) {
    return {Word::kWait, "its nodes are checked before it starts: " +
                             CountOf(run.passed, run.places.size()) + " have passed"};
  }
  switch (run.result) {
    case PreflightResult::kPassed:
      return {};
    case PreflightResult::kFailed:
      if (now < run.since + kMoves) return {Word::kWait, run.detail};
      return {Word::kRest, run.detail + ", and Berth does not exclude them"};
    case PreflightResult::kUnclear:
      return {Word::kRest, run.detail};
    case PreflightResult::kNotRun:
      if (config_.when_unknown == WhenUnknown::kRelease) return {};
      return {Word::kRest, run.detail};
    case PreflightResult::kDropped:
      break;
  }
  return {Word::kWait, "its preflight begins again"};
}

Preflights::Step Preflights::Decide(const std::vector<PreflightPod>& pods, model::Time time,
                                    Clock::time_point now) {
  Step step;
  std::map<std::string_view, Pods> by_gang;
  for (const PreflightPod& pod : pods) by_gang[pod.gang].push_back(&pod);
  std::map<std::string, Clock::time_point> strays;
  Pods others;
  for (auto& [gang, of_gang] : by_gang) {
    if (runs_.contains(std::string(gang))) continue;
    for (const PreflightPod* pod : of_gang) {
      const auto known = strays_.find(pod->uid);
      const Clock::time_point since = known == strays_.end() ? now : known->second;
      strays[pod->uid] = since;
      if (since + Patience() <= now) others.push_back(pod);
    }
  }
  strays_ = std::move(strays);
  for (auto& [gang, run] : runs_) {
    const std::size_t before = others.size();
    const Pods own = PodsOf(run, by_gang[gang], others);
    if (run.phase == Phase::kRuns && run.asked + Patience() <= now) {
      End(run, PreflightResult::kDropped, "the gang has no nodes any more", now);
    }
    if (run.phase == Phase::kRuns && others.size() == before) {
      Advance(gang, run, own, time, now, step);
    }
    if (run.phase != Phase::kRuns) Finish(gang, run, own, now, step);
  }
  std::erase_if(runs_, [now, this](const auto& each) {
    const Run& run = each.second;
    const bool dropped = run.result == PreflightResult::kDropped;
    return run.phase == Phase::kOver && (dropped || run.asked + Patience() <= now);
  });
  step.deletions.insert(step.deletions.end(), others.begin(), others.end());
  if (step.deletions.size() > kMost) step.deletions.resize(kMost);
  return step;
}

Preflights::Pods Preflights::PodsOf(const Run& run, const Pods& of_gang, Pods& others) {
  Pods own(run.places.size(), nullptr);
  for (const PreflightPod* pod : of_gang) {
    const bool is_own = pod->run == run.id && pod->rank < own.size();
    (is_own ? own[pod->rank] : others.emplace_back()) = pod;
  }
  return own;
}

void Preflights::Advance(const std::string& gang, Run& run, const Pods& pods, model::Time time,
                         Clock::time_point now, Step& step) const {
  const bool is_torn = pods[0] == nullptr && !run.seen.contains(0) &&
                       std::ranges::any_of(pods, [](const auto* pod) { return pod != nullptr; });
  if (is_torn) {
    for (const PreflightPod* pod : pods) {
      if (pod != nullptr) step.deletions.push_back(pod);
    }
    return;
  }
  Observe(run, pods, now);
  if (HasEnded(run, pods, time, now)) return Conclude(gang, run, pods, now);
  const bool begins = pods[0] == nullptr && run.seen.empty();
  const bool may_join = IsOpen(pods[0]) && !pods[0]->address.empty();
  for (std::size_t rank = 0; rank < pods.size() && step.orders.size() < kMost; ++rank) {
    if (rank == 0 ? !begins : !may_join || run.disturbed) continue;
    if (pods[rank] != nullptr || run.seen.contains(rank)) continue;
    run.ordered.insert(rank);
    step.orders.push_back({.gang = gang,
                           .run = run.id,
                           .rank = rank,
                           .size = pods.size(),
                           .master = rank == 0 ? "" : pods[0]->address,
                           .place = run.places[rank]});
  }
}

void Preflights::Observe(Run& run, const Pods& pods, Clock::time_point now) const {
  run.passed = static_cast<std::size_t>(std::ranges::count_if(pods, HasPassed));
  bool disturbed = false;
  for (std::size_t rank = 0; rank < pods.size(); ++rank) {
    if (pods[rank] != nullptr) run.seen.insert(rank);
    const bool blames = HasFailed(pods[rank]) && pods[rank]->exit_code == config_.node_fault_code;
    const bool not_run = pods[rank] != nullptr && pods[rank]->outcome == PreflightOutcome::kNotRun;
    disturbed = disturbed || blames || not_run || run.HasVanished(rank, pods);
  }
  if (disturbed && !run.disturbed) run.disturbed = now;
}

bool Preflights::HasEnded(const Run& run, const Pods& pods, model::Time time,
                          Clock::time_point now) const {
  if (run.begun + std::chrono::seconds(config_.timeout) <= now) return true;
  if (run.disturbed && *run.disturbed + kSettle <= now) return true;
  bool complete = true;
  for (std::size_t rank = 0; rank < pods.size(); ++rank) {
    if (pods[rank] == nullptr) {
      complete = complete && run.seen.contains(rank);
      continue;
    }
    const model::Time overdue =
        model::SaturatingAdd(pods[rank]->created, config_.timeout + kOverdue);
    if (overdue <= time && !run.ordered.contains(rank)) return true;
    if (IsOpen(pods[rank])) complete = false;
  }
  // Nobody joins one whose first pod has ended before they could.
  const bool nobody_runs = std::ranges::none_of(pods, IsOpen);
  return complete || (nobody_runs && run.seen.contains(0));
}

void Preflights::Conclude(const std::string& gang, Run& run, const Pods& pods,
                          Clock::time_point now) const {
  const bool failed = std::ranges::any_of(pods, HasFailed);
  for (const std::size_t rank : PlacesAtFault(pods, config_.node_fault_code)) {
    run.faults.push_back({.gang = gang,
                          .run = run.id,
                          .node = run.places[rank].node,
                          .node_uid = run.places[rank].node_uid,
                          .exit_code = pods[rank]->exit_code});
  }
  PreflightResult result = PreflightResult::kNotRun;
  if (run.passed == pods.size()) {
    result = PreflightResult::kPassed;
  } else if (!run.faults.empty()) {
    result = PreflightResult::kFailed;
  } else if (failed) {
    result = PreflightResult::kUnclear;
  }
  run.result = result;
  End(run, result, DetailOf(run, pods), now);
}

std::string Preflights::DetailOf(const Run& run, const Pods& pods) const {
  constexpr std::size_t kMostNamed = 3;
  if (run.result == PreflightResult::kPassed) return "";
  if (run.result == PreflightResult::kFailed) {
    std::string detail =
        "its preflight has found faults on " + CountOf(run.faults.size(), pods.size()) + ": ";
    for (std::size_t i = 0; i < std::min(kMostNamed, run.faults.size()); ++i) {
      detail += (i == 0 ? "" : ", ") + run.faults[i].node;
    }
    return detail;
  }
  if (run.result == PreflightResult::kUnclear) {
    const auto failed = static_cast<std::size_t>(std::ranges::count_if(pods, HasFailed));
    return "its preflight failed on " + CountOf(failed, pods.size()) +
           ", and nobody knows where the fault is";
  }
  std::string detail = "its preflight could not run to its end";
  for (std::size_t rank = 0; rank < pods.size(); ++rank) {
    const bool ended = pods[rank] != nullptr && pods[rank]->outcome == PreflightOutcome::kNotRun;
    if (!ended && !run.HasVanished(rank, pods)) continue;
    const std::string reason = ended ? pods[rank]->reason : "somebody deleted its pod";
    return detail + " on " + run.places[rank].node + (reason.empty() ? "" : " (" + reason + ")");
  }
  return detail + " in " + model::FormatDuration(config_.timeout);
}

void Preflights::End(Run& run, PreflightResult result, std::string detail, Clock::time_point now) {
  run.phase = Phase::kEnds;
  run.result = result;
  run.detail = std::move(detail);
  run.since = now;
}

void Preflights::Finish(const std::string& gang, Run& run, const Pods& pods, Clock::time_point now,
                        Step& step) {
  if (!run.told) {
    step.ended.push_back(
        {.gang = gang, .result = run.result, .detail = run.detail, .nodes = pods.size()});
    run.told = true;
  }
  const bool tries = now < run.since + kWrites;
  // The pods say what is to be written, should this leader die.
  if (!run.faults.empty() && tries) {
    step.faults.insert(step.faults.end(), run.faults.begin(), run.faults.end());
    return;
  }
  bool is_free = true;
  for (const PreflightPod* pod : pods) {
    if (pod == nullptr) continue;
    step.deletions.push_back(pod);
    // One that has ended holds no devices, should it be impossible to delete it.
    is_free = is_free && !tries && !IsOpen(pod);
  }
  if (!is_free || run.phase == Phase::kOver) return;
  run.phase = Phase::kOver;
  run.since = now;
}

void Preflights::OnWritten(const Fault& fault) {
  const auto found = runs_.find(fault.gang);
  if (found == runs_.end() || found->second.id != fault.run) return;
  std::erase_if(found->second.faults,
                [&fault](const Fault& each) { return each.node == fault.node; });
}

void Preflights::Forget() {
  runs_.clear();
  strays_.clear();
  pace_ = {};
}

}  // namespace berth::planner
