#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/time.h"
#include "policies/fit/fit.h"

namespace berth::planner {

/// What the plan makes of a waiting pod.
enum class State : std::uint8_t {
  /// The plan has nominated a node, which stands.
  kNominated,
  /// The plan has nominated a node on which kube-scheduler has to evict pods first, because none
  /// fits as it is.
  kEviction,
  /// Somebody else has: usually kube-scheduler, which preempts pods there.
  kNominatedByOther,
  /// The plan has withdrawn its nomination, and the API server has not shown that yet.
  kWithdrawn,
  /// kube-scheduler has not tried it yet, and will before a nomination could help.
  kHead,
  /// kube-scheduler has not tried it yet. It waits since a moment ago, or as many such pods are
  /// nominated as may be.
  kQueued,
  /// No node fits it, and none is nominated for which pods would be evicted.
  kNoNode,
  /// It needs what policies/fit does not know, so kube-scheduler has to find a node.
  kLeftToScan,
  /// kube-scheduler did not take the node that was nominated, or a write has failed; the plan waits
  /// before it tries again.
  kBackingOff,
  /// It has a scheduling gate.
  kGated,
  /// Somebody has deleted it.
  kDeleted,
  /// Its scheduler is not one of `planner.schedulers`.
  kOtherScheduler,
  /// It asks for no accelerator of the catalogue.
  kNoAccelerator,
};
inline constexpr std::size_t kStates = 13;

/// How a nomination of the plan has ended.
enum class Outcome : std::uint8_t {
  /// The pod is bound, to whatever node.
  kBound,
  /// The pod is gone.
  kGone,
  /// The plan has withdrawn it, because the node does not fit any more and no other does, or
  /// because kube-scheduler has tried the pod in vain and let the nomination stand, or because it
  /// has evicted nobody where it was to evict pods.
  kWithdrawn,
  /// The plan has nominated another node, because the former one does not fit any more.
  kReplaced,
  /// kube-scheduler has cleared it: the pod did not fit there by its rules.
  kCleared,
  /// Somebody else has nominated a node, or kube-scheduler preempts pods on this one, which was to
  /// fit as it is.
  kSuperseded,
  /// kube-scheduler evicts pods on the node, as it was to.
  kEvicted,
};
inline constexpr std::size_t kOutcomes = 7;

/// Words for metrics and for users: "nominated", "no_node".
std::string_view NameOf(State state);
std::string_view NameOf(Outcome outcome);

/// A nomination of the plan that has ended.
struct Ended {
  Outcome outcome = Outcome::kBound;
  /// When the pod was created.
  model::Time created = model::kNoTime;

  friend bool operator==(const Ended&, const Ended&) = default;
};

/// What there is to say about a waiting pod.
struct Outlook {
  State state = State::kHead;
  /// The node that is nominated, by whomever.
  std::string node;
  /// What is not known, if the pod is left to kube-scheduler.
  policies::fit::Unknown unknown = policies::fit::Unknown::kNone;
  /// How many nominations of the plan kube-scheduler did not take.
  std::size_t failures = 0;

  friend bool operator==(const Outlook&, const Outlook&) = default;
};

}  // namespace berth::planner
