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

/// A node that fits, as prioritize ranks it. A plain value.
struct RankedNode {
  std::string name;
  /// From 0 to 10, as kube-scheduler gets it.
  std::int64_t rank = 0;

  /// Sum of the policies' weighted scores, from which the rank is computed. Comparable within one
  /// request.
  std::uint32_t score = 0;

  friend bool operator==(const RankedNode&, const RankedNode&) = default;
};

/// How many nodes were refused for one reason. A plain value.
struct RefusalCount {
  /// The policy and the text of policies::scheduling::Reason.
  std::string policy;
  std::string reason;
  /// At least 1.
  std::size_t nodes = 0;

  friend bool operator==(const RefusalCount&, const RefusalCount&) = default;
};

/// The result for one pod in one request of kube-scheduler. There is one for each prioritize, and
/// one for a filter that answers one node or none, because kube-scheduler does not call prioritize
/// then (k8s.io/kubernetes/pkg/scheduler/schedule_one.go, schedulePod). A plain value.
struct Decision {
  /// The time by which the policies judged.
  model::Time time = model::kNoTime;

  /// The pod that was placed or refused.
  std::string pod_namespace;
  std::string pod_name;
  std::string pod_uid;
  /// Everything that the API server had sent about nodes, and about pods, up to these resource
  /// versions was taken into account; see cluster::Snapshot::Reader::ResourceVersion(). 0: unknown,
  /// or the request contained its nodes.
  std::uint64_t node_resource_version = 0;
  std::uint64_t pod_resource_version = 0;
  /// The verb that was answered: filter or prioritize.
  Verb verb = Verb::kFilter;
  /// How many of the nodes in the request fit. With a shortlist, more than were answered.
  std::size_t fitting = 0;
  /// The other nodes by reason, the most frequent reason first.
  std::vector<RefusalCount> refused;
  /// The best nodes, at most three, the best first. If filter chose one of several equally good
  /// nodes, that one is first.
  std::vector<RankedNode> top;
  /// Why the first node is before the second: the policy whose weighted score makes the largest
  /// difference, or one of the sentences below.
  std::string decided_by;

  friend bool operator==(const Decision&, const Decision&) = default;
};

/// Values of Decision::decided_by besides names of policies.
inline constexpr std::string_view kNoneFits = "no node fits";
inline constexpr std::string_view kOnlyOneFits = "only one node fits";
/// The pod was given the second node before and did not get there.
inline constexpr std::string_view kTriedBefore = "tried before";
/// The first two nodes have the same rank, so kube-scheduler's own scores choose.
inline constexpr std::string_view kEqualRanks = "equal";

/// A request and its answer, for Decide(). `names` and `judgements` have one item for each node in
/// the request, in the same order.
struct Answered {
  /// kFilter or kPrioritize.
  Verb verb;
  const model::Pod& pod;
  /// The time by which `judgements` were made.
  model::Time now;
  std::span<const std::string_view> names;
  std::span<const policies::scheduling::Judgement> judgements;
  /// Index of the single node that was answered, if it was chosen from several.
  std::optional<std::size_t> chosen{};
};

/// Summarises `answered`, which `prepared` judged on `view`. Looks at each judgement once, because
/// kube-scheduler waits for it. Does not block.
Decision Decide(const Answered& answered, const policies::scheduling::PreparedPod& prepared,
                const AssumedView& view, const policies::scheduling::ReasonTable& reasons);

/// Is notified of decisions. Called on the threads that answer kube-scheduler, several at a time,
/// so implementations must be thread-safe, must not block and must not throw.
class DecisionObserver {
 public:
  virtual ~DecisionObserver() = default;

  /// Returns whether to report the decision of this request. Asked once for each request, because
  /// to make a Decision takes time for which kube-scheduler waits.
  virtual bool Wants() = 0;

  /// Reports a decision. Called only after Wants() has returned true, when the answer is complete
  /// and the request does not hold the snapshot any more.
  virtual void OnDecision(const Decision& decision) = 0;
};

/// Reports the decision of one request, when it goes out of scope, to the observers that want it.
/// Construct it before the view of the cluster, and it reports after the view is gone. Not
/// thread-safe.
///
///   DecisionReport report(observers);
///   const AssumedView view = ...;
///   if (report.Wanted()) report.Set(Decide(...));
class DecisionReport {
 public:
  /// `observers` must outlive this.
  explicit DecisionReport(std::span<DecisionObserver* const> observers) : observers_(observers) {}
  /// Calls OnDecision() of the observers that want it, if Set() was called.
  ~DecisionReport();
  DecisionReport(const DecisionReport&) = delete;
  DecisionReport& operator=(const DecisionReport&) = delete;

  /// Asks the observers. Returns whether any wants this decision. Call it once at most.
  bool Wanted();

  /// Sets the decision to report.
  void Set(Decision decision) { decision_ = std::move(decision); }

 private:
  std::span<DecisionObserver* const> observers_;
  std::vector<DecisionObserver*> interested_;  // filled by Wanted()
  std::optional<Decision> decision_;
};

}  // namespace berth::extender
