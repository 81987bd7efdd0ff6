#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "extender/assumed_pods.h"
#include "extender/extender_metrics.h"
#include "model/pod.h"
#include "model/time.h"
#include "policies/scheduling/engine.h"

namespace berth::extender {

/// A node that fits, as prioritize ranks it.
struct RankedNode {
  std::string name;
  std::int64_t rank = 0;
  std::uint32_t score = 0;

  friend bool operator==(const RankedNode&, const RankedNode&) = default;
};

/// How many nodes were refused for one reason.
struct RefusalCount {
  std::string policy;
  std::string reason;
  std::size_t nodes = 0;

  friend bool operator==(const RefusalCount&, const RefusalCount&) = default;
};

/// What became of one pod in one request of kube-scheduler's. There is one for each prioritize, and
/// one for a filter that leaves at most one node, because prioritize is then not called.
/// k8s.io/kubernetes/pkg/scheduler/schedule_one.go, schedulePod. A plain value.
struct Decision {
  model::Time time = model::kNoTime;
  std::string pod_namespace;
  std::string pod_name;
  std::string pod_uid;
  /// Of nodes and of pods, all that the API server had told up to this resource version counts; see
  /// cluster::Snapshot::Reader::ResourceVersion(). 0: not known, or the request brought its nodes.
  std::uint64_t node_resource_version = 0;
  std::uint64_t pod_resource_version = 0;
  Verb verb = Verb::kFilter;
  /// Of the nodes that were asked about, how many fit.
  std::size_t fitting = 0;
  /// The others by reason, the greatest number first.
  std::vector<RefusalCount> refused;
  /// The best three at most, best first.
  std::vector<RankedNode> top;
  /// The policy whose weighted score tells the first from the second most, or one of the sentences
  /// below.
  std::string decided_by;

  friend bool operator==(const Decision&, const Decision&) = default;
};

inline constexpr std::string_view kNoneFits = "no node fits";
inline constexpr std::string_view kOnlyOneFits = "only one node fits";
/// The pod did not get to the second before.
inline constexpr std::string_view kTriedBefore = "tried before";
/// The first two have the same rank, so kube-scheduler's own scores choose.
inline constexpr std::string_view kEqualRanks = "equal";

/// A request and its answer; the spans have one place for each node that was asked about.
struct Answered {
  Verb verb;
  const model::Pod& pod;
  model::Time now;
  std::span<const std::string_view> names;
  std::span<const policies::scheduling::Judgement> judgements;
  /// The place of the only node answered, of several that may be equally good.
  std::optional<std::size_t> chosen{};
};

/// Sums up `answered`, which `prepared` judged on `view`. Looks once at each judgement:
/// kube-scheduler waits for it.
Decision Decide(const Answered& answered, const policies::scheduling::PreparedPod& prepared,
                const AssumedView& view, const policies::scheduling::ReasonTable& reasons);

/// Hears of decisions. Called on the threads that answer kube-scheduler, several at a time:
/// implementations are thread-safe, do not block and do not throw.
class DecisionObserver {
 public:
  virtual ~DecisionObserver() = default;

  /// Whether the decision of this request is to be told. Asked once for each, because working it
  /// out takes time that kube-scheduler waits for.
  virtual bool Wants() = 0;

  /// Only after Wants() was true; when the answer is made, and the cluster no longer held still.
  virtual void OnDecision(const Decision& decision) = 0;
};

/// Tells one decision to those who want it, when it goes out of scope: made before the view, it
/// does so after the view. Not thread-safe.
class DecisionReport {
 public:
  explicit DecisionReport(std::span<DecisionObserver* const> observers) : observers_(observers) {}
  ~DecisionReport();
  DecisionReport(const DecisionReport&) = delete;
  DecisionReport& operator=(const DecisionReport&) = delete;

  /// Whether anybody wants to hear of this request. Once at most.
  bool Wanted();

  void Set(Decision decision) { decision_ = std::move(decision); }

 private:
  std::span<DecisionObserver* const> observers_;
  std::vector<DecisionObserver*> wanting_;
  std::optional<Decision> decision_;
};

}  // namespace berth::extender
