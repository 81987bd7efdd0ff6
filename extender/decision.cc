#include "extender/decision.h"

#include <algorithm>
#include <array>
#include <utility>

#include "policies/scheduling/rank.h"

namespace berth::extender {

namespace {

using policies::scheduling::Judgement;
using policies::scheduling::PolicyVerdict;

// The indices of the best nodes among those that were added, the best first. Of equal nodes, those
// added first.
class Top {
 public:
  static constexpr std::size_t kSize = 3;

  void Add(std::size_t place, policies::scheduling::Worth worth) {
    std::size_t at = size_;
    while (at > 0 && worth > best_[at - 1].worth) --at;
    if (at == kSize) return;
    size_ = std::min(size_ + 1, kSize);
    for (std::size_t i = size_ - 1; i > at; --i) best_[i] = best_[i - 1];
    best_[at] = {place, worth};
  }

  std::size_t size() const { return size_; }
  std::size_t operator[](std::size_t i) const { return best_[i].place; }

 private:
  struct Placed {
    std::size_t place;
    policies::scheduling::Worth worth;
  };

  std::array<Placed, kSize> best_{};
  std::size_t size_ = 0;
};

// A summary of all judgements, made in one pass.
struct Summary {
  explicit Summary(const Answered& answered, std::size_t reasons) : refused(reasons) {
    // The chosen node is added first, because among equally good nodes it is the best.
    if (answered.chosen) AddToTop(*answered.chosen, answered.judgements[*answered.chosen]);
    for (std::size_t i = 0; i < answered.judgements.size(); ++i) {
      const Judgement& judgement = answered.judgements[i];
      if (!judgement.fits) {
        ++refused[judgement.reason];
        continue;
      }
      ++fitting;
      scale.Add(judgement);
      if (i != answered.chosen) AddToTop(i, judgement);
    }
  }

  void AddToTop(std::size_t place, const Judgement& judgement) {
    top.Add(place, policies::scheduling::WorthOf(judgement));
  }

  std::size_t fitting = 0;
  std::vector<std::size_t> refused;  // by reason
  policies::scheduling::RankScale scale;
  Top top;
};

std::vector<RefusalCount> RefusalsOf(const Summary& summary,
                                     const policies::scheduling::ReasonTable& reasons) {
  std::vector<RefusalCount> refused;
  for (std::size_t id = 0; id < summary.refused.size(); ++id) {
    if (summary.refused[id] == 0) continue;
    const policies::scheduling::Reason& reason =
        reasons[static_cast<policies::scheduling::ReasonId>(id)];
    refused.push_back({reason.policy, reason.text, summary.refused[id]});
  }
  std::stable_sort(refused.begin(), refused.end(),
                   [](const auto& a, const auto& b) { return a.nodes > b.nodes; });
  return refused;
}

std::vector<RankedNode> TopOf(const Answered& answered, const Summary& summary) {
  std::vector<RankedNode> nodes;
  for (std::size_t i = 0; i < summary.top.size(); ++i) {
    const std::size_t place = summary.top[i];
    const Judgement& judgement = answered.judgements[place];
    nodes.push_back(
        {std::string(answered.names[place]), summary.scale.RankOf(judgement), judgement.score});
  }
  return nodes;
}

std::int64_t WeightedScore(const PolicyVerdict& said) {
  if (said.mode == policies::scheduling::Mode::kObserve) return 0;
  return std::int64_t{said.weight} * said.verdict.score;
}

bool PutsLast(const PolicyVerdict& said) {
  return said.verdict.last && said.weight > 0 && said.mode == policies::scheduling::Mode::kEnforce;
}

// Returns the policy that puts `second` behind all others; else the policy whose score sets `first`
// furthest above `second`.
std::string DecidingPolicy(const policies::scheduling::PreparedPod& prepared,
                           const model::NodeState& first, const model::NodeState& second) {
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

std::string DecidedBy(std::span<const RankedNode> top,
                      const policies::scheduling::PreparedPod& prepared,
                      const model::ClusterView& view) {
  if (top.empty()) return std::string(kNoneFits);
  if (top.size() == 1) return std::string(kOnlyOneFits);
  if (top[0].rank == top[1].rank) return std::string(kEqualRanks);
  const auto state_of = [&](const RankedNode& node) -> const model::NodeState& {
    return *view.At(*view.Find(node.name));
  };
  const std::string policy = DecidingPolicy(prepared, state_of(top[0]), state_of(top[1]));
  return policy.empty() ? std::string(kTriedBefore) : policy;
}

}  // namespace

Decision Decide(const Answered& answered, const policies::scheduling::PreparedPod& prepared,
                const AssumedView& view, const policies::scheduling::ReasonTable& reasons) {
  const Summary summary(answered, reasons.size());
  Decision decision{.time = answered.now,
                    .pod_namespace = answered.pod.namespace_,
                    .pod_name = answered.pod.name,
                    .pod_uid = answered.pod.uid,
                    .node_resource_version = view.reader().ResourceVersion(cluster::Kind::kNodes),
                    .pod_resource_version = view.reader().ResourceVersion(cluster::Kind::kPods),
                    .verb = answered.verb,
                    .fitting = summary.fitting,
                    .refused = RefusalsOf(summary, reasons),
                    .top = TopOf(answered, summary)};
  decision.decided_by = DecidedBy(decision.top, prepared, view);
  return decision;
}

bool DecisionReport::Wanted() {
  for (DecisionObserver* observer : observers_) {
    if (observer->Wants()) interested_.push_back(observer);
  }
  return !interested_.empty();
}

DecisionReport::~DecisionReport() {
  if (!decision_) return;
  for (DecisionObserver* observer : interested_) observer->OnDecision(*decision_);
}

}  // namespace berth::extender
