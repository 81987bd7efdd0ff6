#include "extender/decision.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace berth::extender {

namespace {

using scheduling::Judgement;
using scheduling::PolicyVerdict;

constexpr std::size_t kTop = 3;

std::vector<RefusalCount> CountRefusals(std::span<const Judgement> judgements,
                                        const scheduling::ReasonTable& reasons) {
  std::vector<std::size_t> counts(reasons.size());
  for (const Judgement& judgement : judgements) {
    if (!judgement.fits) ++counts[judgement.reason];
  }
  std::vector<RefusalCount> refused;
  for (std::size_t id = 0; id < counts.size(); ++id) {
    if (counts[id] == 0) continue;
    const scheduling::Reason& reason = reasons[static_cast<scheduling::ReasonId>(id)];
    refused.push_back({reason.policy, reason.text, counts[id]});
  }
  std::stable_sort(refused.begin(), refused.end(),
                   [](const auto& a, const auto& b) { return a.nodes > b.nodes; });
  return refused;
}

std::vector<std::size_t> FittingOf(std::span<const Judgement> judgements) {
  std::vector<std::size_t> fitting;
  for (std::size_t i = 0; i < judgements.size(); ++i) {
    if (judgements[i].fits) fitting.push_back(i);
  }
  return fitting;
}

// Puts the best kTop in front; of equal ones those that were asked about first.
void SortTop(const Answered& answered, std::vector<std::size_t>& fitting) {
  const auto key = [&](std::size_t i) {
    return std::tuple(-answered.ranks[i], -std::int64_t{answered.judgements[i].score}, i);
  };
  const std::size_t top = std::min(kTop, fitting.size());
  std::partial_sort(fitting.begin(), fitting.begin() + static_cast<std::ptrdiff_t>(top),
                    fitting.end(), [&](auto a, auto b) { return key(a) < key(b); });
}

std::int64_t WeightedScore(const PolicyVerdict& said) {
  if (said.mode == scheduling::Mode::kObserve) return 0;
  return std::int64_t{said.weight} * said.verdict.score;
}

bool PutsLast(const PolicyVerdict& said) {
  return said.verdict.last && said.weight > 0 && said.mode == scheduling::Mode::kEnforce;
}

// The policy that puts `second` behind all others, else the one that sets `first` furthest above
// `second`.
std::string DecidingPolicy(const scheduling::PreparedPod& prepared, const model::NodeState& first,
                           const model::NodeState& second) {
  const std::vector<PolicyVerdict> of_first = prepared.JudgeEach(first);
  const std::vector<PolicyVerdict> of_second = prepared.JudgeEach(second);
  std::string_view policy;
  std::int64_t most = 0;
  for (std::size_t i = 0; i < of_first.size(); ++i) {
    if (PutsLast(of_second[i]) && !PutsLast(of_first[i])) return std::string(of_second[i].policy);
    const std::int64_t ahead = WeightedScore(of_first[i]) - WeightedScore(of_second[i]);
    if (ahead <= most) continue;
    most = ahead;
    policy = of_first[i].policy;
  }
  return std::string(policy);
}

std::string DecidedBy(const Answered& answered, std::span<const std::size_t> best,
                      const scheduling::PreparedPod& prepared, const model::ClusterView& view) {
  if (best.empty()) return std::string(kNoneFits);
  if (best.size() == 1) return std::string(kOnlyOneFits);
  if (answered.ranks[best[0]] == answered.ranks[best[1]]) return std::string(kEqualRanks);
  const auto node_at = [&](std::size_t i) -> const model::NodeState& {
    return *view.At(*view.Find(answered.names[i]));
  };
  return DecidingPolicy(prepared, node_at(best[0]), node_at(best[1]));
}

}  // namespace

Decision Decide(const Answered& answered, const scheduling::PreparedPod& prepared,
                const model::ClusterView& view, const scheduling::ReasonTable& reasons) {
  std::vector<std::size_t> fitting = FittingOf(answered.judgements);
  SortTop(answered, fitting);
  Decision decision{.time = answered.now,
                    .pod_namespace = answered.pod.namespace_,
                    .pod_name = answered.pod.name,
                    .pod_uid = answered.pod.uid,
                    .verb = answered.verb,
                    .fitting = fitting.size(),
                    .refused = CountRefusals(answered.judgements, reasons),
                    .top = {},
                    .decided_by = DecidedBy(answered, fitting, prepared, view)};
  for (std::size_t i = 0; i < std::min(kTop, fitting.size()); ++i) {
    const std::size_t at = fitting[i];
    decision.top.push_back(
        {std::string(answered.names[at]), answered.ranks[at], answered.judgements[at].score});
  }
  return decision;
}

bool DecisionReport::Wanted() {
  for (DecisionObserver* observer : observers_) {
    if (observer->Wants()) wanting_.push_back(observer);
  }
  return !wanting_.empty();
}

DecisionReport::~DecisionReport() {
  if (!decision_) return;
  for (DecisionObserver* observer : wanting_) observer->OnDecision(*decision_);
}

}  // namespace berth::extender
