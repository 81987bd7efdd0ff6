#pragma once

#include <cstdint>
#include <string>

#include "model/time.h"

namespace berth::planner {

/// What a step writes.
enum class StepKind : std::uint8_t {
  /// A pod's status.nominatedNodeName, and the annotation "<prefix>/plan" with the same value, in
  /// one patch of its status. podStatusStrategy in k8s.io/kubernetes/pkg/registry/core/pod/
  /// strategy.go (v1.36.3) keeps annotations. For a pod of a gang also the annotation
  /// "<prefix>/plan-lease", with Step::text.
  kNominate,
  /// Takes the scheduling gate of gangs from the pod, and only this one.
  kUngate,
  /// Tells the users of a pod why its gang waits: Step::text, in a condition of the pod, and in an
  /// event if Step::event. No text: it does not wait any more.
  kSay,
  /// Evicts all pods of the gang Step::gang, those that are bound and those that wait, through the
  /// Eviction API. The step names no pod.
  kEvict,
};

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
  bool event = false;

  friend bool operator==(const Step&, const Step&) = default;
};

}  // namespace berth::planner
