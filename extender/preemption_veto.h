#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "extender/assumed_pods.h"
#include "model/accelerator.h"
#include "model/cluster_view.h"
#include "model/pod.h"
#include "model/time.h"
#include "policies/scheduling/engine.h"

// kube-scheduler looks at a sample of the nodes. If none of them fits, it evicts pods of lower
// priority, although a node outside the sample may fit as it is. `berth controller` nominates such
// a node for the pod; until then preempt answers that no eviction helps.
//
// The answer is an empty map without an error. kube-scheduler then evicts nothing and leaves the
// pod's nomination as it is: callExtenders() returns no candidates, and Preempt() a nil result
// (k8s.io/kubernetes/pkg/scheduler/framework/preemption/preemption.go, v1.36.3), so that
// schedule_one.go has no NominatingInfo to apply.

namespace berth::extender {

/// What preempt answered, or why it did not say that no eviction helps.
enum class PreemptionOutcome : std::uint8_t {
  /// Nobody is evicted, because some node fits as it is.
  kVetoed,
  /// This value and all below: kube-scheduler may evict pods. No node fits as it is.
  kNoRoom,
  /// It was vetoed for this pod before, often or long enough.
  kVetoedBefore,
  /// No controller leads, so nobody would nominate the node that fits.
  kNoController,
  /// Nobody knows whether a node fits, because of what the pod needs (policies/fit).
  kUnknownNeed,
  /// The controller does not plan the pod: it is of another scheduler, or asks for no accelerator.
  kNotPlanned,
};

/// Every value, in the order of the enum.
inline constexpr std::array kAllPreemptionOutcomes = {
    PreemptionOutcome::kVetoed,       PreemptionOutcome::kNoRoom,
    PreemptionOutcome::kVetoedBefore, PreemptionOutcome::kNoController,
    PreemptionOutcome::kUnknownNeed,  PreemptionOutcome::kNotPlanned};

/// The name for a metric's label: "vetoed", "no_room".
std::string_view NameOf(PreemptionOutcome outcome);

/// What is known of the planner, which nominates nodes for pods.
struct Planning {
  /// Returns whether a controller leads now. Called for each preempt; must not block. Empty: no
  /// controller leads.
  std::function<bool()> controller_leads;
  /// The schedulers whose pods it plans (planner.schedulers).
  std::vector<std::string> schedulers;
};

/// Remembers for which pods evictions were vetoed, and says when that is enough. kube-scheduler may
/// know a reason against the node that Berth does not know, so a pod is held up for a short time
/// only. Each replica knows only its own vetoes. Thread-safe.
class PreemptionVeto {
 public:
  /// For how long after the first time evictions for one pod are vetoed: kLeast, and then until
  /// they were vetoed kEnough times, but no longer than kLongest. The number alone would not do,
  /// because kube-scheduler may try a pod several times before it sees the nomination: while it is
  /// idle, it does not wait for the end of a backoff (SchedulerPopFromBackoffQ in
  /// k8s.io/kubernetes/pkg/features/kube_features.go, v1.36.3).
  static constexpr model::Duration kLeast = std::chrono::seconds(5);
  static constexpr std::size_t kEnough = 3;
  static constexpr model::Duration kLongest = std::chrono::seconds(30);

  /// Default for how many pods are remembered, some 200 KiB; the oldest is forgotten.
  static constexpr std::size_t kMost = 4096;

  /// Remembers `most` > 0 pods.
  explicit PreemptionVeto(Planning planning, std::size_t most = kMost)
      : planning_(std::move(planning)), most_(most) {}
  PreemptionVeto(const PreemptionVeto&) = delete;
  PreemptionVeto& operator=(const PreemptionVeto&) = delete;

  /// Returns kVetoed if evictions for `pod` are to be vetoed at `now`, provided that a node fits
  /// it; see FitsSomewhere(). Else returns why not; never kNoRoom. `catalog` has the accelerators.
  PreemptionOutcome Judge(const model::Pod& pod, const model::AcceleratorCatalog& catalog,
                          model::Time now) const;

  /// Records that evictions were vetoed for the pod with this UID.
  void OnVetoed(std::string_view uid, model::Time now);

 private:
  // What is remembered of a pod.
  struct Record {
    model::Time first;
    std::size_t vetoes = 0;
  };

  bool IsPlanned(const model::Pod& pod, const model::AcceleratorCatalog& catalog) const;
  bool WasVetoedEnough(std::string_view uid, model::Time now) const;

  const Planning planning_;
  const std::size_t most_;
  // Guards the following.
  mutable std::mutex mutex_;
  // By the hash of the UID. If two hashes are equal by chance, a pod is vetoed less often.
  absl::flat_hash_map<std::size_t, Record> records_;
  std::deque<std::size_t> order_;  // their hashes, the oldest first
};

/// Returns whether `pod` fits a node of the cluster without any eviction: whether kube-scheduler's
/// filters let it run there beside the pods that are there and those in `expected`, and no policy
/// of `engine` refuses the node at `now`. `view` must have whole pods (model::NodeState::used), and
/// policies::fit::UnknownNeed() of the pod must be kNone. Stops at the first such node.
bool FitsSomewhere(const model::Pod& pod, const model::ClusterView& view,
                   const ExpectedPods& expected,
                   const policies::scheduling::SchedulingEngine& engine, model::Time now);

}  // namespace berth::extender
