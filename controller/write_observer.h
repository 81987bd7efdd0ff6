#pragma once

#include <cstddef>
#include <string_view>

#include "absl/status/status.h"

namespace berth::controller {

/// What the controller writes: labels of a node, the annotation of a pod, a Secret, the caBundles
/// of a webhook configuration, the owner of a Lease, the end of a pod on a lost node, the nominated
/// node of a pod, the gate of a pod of a gang, the condition that says why its gang waits, the
/// eviction of a gang, the taint of a node, the PodGroup of a gang, the label that lets a node be
/// repaired, the eviction of a pod from an excluded node, the event that tells why a pod stays
/// there, the annotation of a node on which pods failed, the Event of a node that is excluded or
/// of a pod on it, the Event of a pod that does not use its devices, the eviction of a notebook
/// that does not, the annotation of a node on which room is kept for gangs.
enum class Write {
  kNodeLabel,
  kNudge,
  kSecret,
  kCaBundle,
  kLeaseOwner,
  kLostPod,
  kNomination,
  kGate,
  kGangCondition,
  kGangEviction,
  kNodeTaint,
  kPodGroup,
  kRepairLabel,
  kEviction,
  kPodEvent,
  kAvoid,
  kFaultEvent,
  kIdleEvent,
  kIdleEviction,
  kKept
};

/// How many values Write has.
inline constexpr std::size_t kWriteKinds = 20;

/// Is notified of every write that was tried. Called on several threads at a time, so
/// implementations must be thread-safe. They must not block.
class WriteObserver {
 public:
  virtual ~WriteObserver() = default;
  /// A write has ended with `status`. Writes that were cancelled are not reported.
  ///
  /// `object` is its name: "node-1", "ml/train-0". `value` is what was written, or should have
  /// been, and never contains a secret.
  virtual void OnWritten(Write write, std::string_view object, std::string_view value,
                         const absl::Status& status) = 0;
};

}  // namespace berth::controller
