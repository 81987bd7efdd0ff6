#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "model/time.h"

namespace berth::planner {

/// What a step writes.
enum class StepKind : std::uint8_t {
  /// A pod's status.nominatedNodeName, and the annotation "<prefix>/plan" with the same value, in
  /// one patch of its status. podStatusStrategy in k8s.io/kubernetes/pkg/registry/core/pod/
  /// strategy.go (v1.36.3) keeps annotations. Beside it "<prefix>/plan-for" has PurposeOf(); for a
  /// pod of a gang "<prefix>/plan-lease" has Step::text.
  kNominate,
  /// Takes the scheduling gate of gangs from the pod, and only this one.
  kUngate,
  /// Tells the users of a pod why its gang waits: Step::text, in a condition of the pod. No text:
  /// it does not wait any more.
  kSay,
  /// Reports Step::text as an event of the pod.
  kReport,
  /// Evicts all pods of the gang Step::gang, those that are bound and those that wait, through the
  /// Eviction API. The step names no pod.
  kEvict,
  /// Goes on with a kEvict that has ended half-way: evicts what is left of the gang Step::gang. The
  /// step names no pod.
  kEvictRest,
  /// Creates the PodGroup Step::name for at least Step::pods pods of the gang Step::gang, which
  /// kube-scheduler then places all together or not at all. Step::text is their PriorityClass.
  kCreatePodGroup,
  /// Deletes the PodGroup Step::name, of this UID.
  kDeletePodGroup,
  /// Writes nothing: asks how many pods have succeeded of each gang of the namespace, for
  /// Planner::OnSucceeded(). The step names no pod; Step::gang is one of the gangs.
  kCount,
};

/// How many pods of the gangs of a namespace have succeeded, by the gang's name. Those of which
/// none has may be left out.
using SucceededPods = std::map<std::string, std::size_t, std::less<>>;

/// What a nomination is for, as the annotation "<prefix>/plan-for" says it.
inline constexpr std::string_view kForRescue = "rescue";
inline constexpr std::string_view kForEviction = "eviction";
inline constexpr std::string_view kForBacklog = "backlog";
inline constexpr std::string_view kForGang = "gang";

/// A write of the planner. A plain value.
struct Step {
  std::string namespace_;
  std::string name;
  /// Only the pod of this UID, even if another has its name by now.
  std::string uid;
  /// The node to nominate. Empty: the nomination is withdrawn, and the annotation removed.
  std::string node;
  /// When the pod was created.
  model::Time created = model::kNoTime;
  /// Whether kube-scheduler has refused the pod already.
  bool refused = false;
  StepKind kind = StepKind::kNominate;
  /// The name of the pod's gang. Empty if it has none.
  std::string gang = {};
  /// What to say; for nominations of gangs, which kube-scheduler they are for (GangFacts::lease).
  std::string text = {};
  /// Whether kube-scheduler has to evict pods on the node first.
  bool evicts = false;
  /// How many pods at least kube-scheduler places together.
  std::size_t pods = 0;

  friend bool operator==(const Step&, const Step&) = default;
};

/// Why a step was not written.
enum class Failure : std::uint8_t {
  /// The API server does not do it, or it came too late.
  kRefused,
  /// A PodDisruptionBudget forbids it for now.
  kBudget,
  /// The API server has not answered, or is not able to do anything now.
  kNoAnswer,
};

/// Returns one of the words above.
inline std::string_view PurposeOf(const Step& nomination) {
  if (!nomination.gang.empty()) return kForGang;
  if (nomination.evicts) return kForEviction;
  return nomination.refused ? kForRescue : kForBacklog;
}

}  // namespace berth::planner
