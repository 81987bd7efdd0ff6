#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/cluster_view.h"
#include "model/node.h"
#include "model/pod.h"

// kube-scheduler's own view of a node: whether its filter plugins would let a pod run there. The
// planner asks it before it promises a node to a pod, and the extender before it lets pods be
// preempted. The plugins are those that run by default in v1.36.3
// (k8s.io/kubernetes/pkg/scheduler/apis/config/v1/default_plugins.go), with their default
// arguments.
//
// kube-scheduler may still refuse a node that fits here. It also knows the required anti-affinity
// of the pods that run there (InterPodAffinity), features that kubelet declares
// (NodeDeclaredFeatures), and what the site adds to its configuration. And it may accept a node
// that is refused here, if DynamicResources hands out the node's devices, or if its configuration
// ignores a resource.
//
// No I/O, no clock; all functions are thread-safe.

namespace berth::policies::fit {

/// The first plugin that refuses the node, in the order in which kube-scheduler asks them.
enum class Misfit : std::uint8_t {
  /// All of them let the pod run there.
  kNone,
  /// NodeUnschedulable: the node is cordoned.
  kUnschedulable,
  /// TaintToleration: the pod does not tolerate a taint that keeps pods off.
  kTaint,
  /// NodeAffinity: the node does not meet the pod's node selector or required node affinity.
  kSelector,
  /// NodePorts: a pod of the node has a port that this one asks for.
  kPort,
  /// NodeResourcesFit: the node has as many pods as it may have.
  kPods,
  /// NodeResourcesFit: it has too little of some resource.
  kResource,
};

/// What a pod needs of a node that the functions below do not know. kube-scheduler itself has to
/// find a node for such a pod.
enum class Unknown : std::uint8_t {
  kNone,
  /// It needs more than is kept of a pod that waits; see ExcessOf().
  kTooLarge,
  /// It has resource claims, which DynamicResources allocates.
  kClaims,
  /// It has a volume that may not be attached everywhere: a PersistentVolumeClaim, or a disk.
  kVolumes,
  /// It has an affinity or anti-affinity to pods.
  kPodAffinity,
  /// It has a topology spread constraint that must hold (whenUnsatisfiable DoNotSchedule).
  kSpread,
  /// Its node selector or required node affinity names a label of model::kNodeFeaturePrefix, which
  /// views do not keep.
  kNodeFeatures,
};

/// Returns the first that applies. `pod` must be whole; Trimmed() leaves too large ones no sign.
Unknown UnknownNeed(const model::Pod& pod);

/// A lower-case word for metrics: "none", "too_large", "claims", "volumes", "pod_affinity",
/// "spread", "node_features".
std::string_view NameOf(Unknown unknown);

/// The part of `pod` that JudgeNode() and JudgeRoom() read, as text. Pods of the same shape get the
/// same judgements.
std::string ShapeOf(const model::Pod& pod);

/// Counts a pod in what the node's pods hold, as if it were bound there.
void Book(const model::Pod& pod, model::NodeState& node);

/// Judges by what the node itself says, whatever runs there: kUnschedulable, kTaint, kSelector or
/// kNone. It depends only on the pod's tolerations and NodeNeeds and on the node's name, labels,
/// taints and `unschedulable`, so callers may remember it.
Misfit JudgeNode(const model::Pod& pod, const model::Node& node);

/// Judges by what the node's pods leave of its `allocatable`: kPort, kPods, kResource or kNone. The
/// view must count all resources of all pods. A resource that the node does not list is one that it
/// has nothing of, so a node whose devices only DynamicResources hands out is refused.
Misfit JudgeRoom(const model::Pod& pod, const model::NodeState& node);

/// Whether JudgeRoom() refuses the node because of the pods that run there: it would have room for
/// `pod` if it were empty. False where kube-scheduler knows room that JudgeRoom() does not, such as
/// devices that only DynamicResources hands out.
bool IsFull(const model::Pod& pod, const model::NodeState& node);

/// How many pods like `pod` JudgeRoom() lets run on the node, one after the other, but no more than
/// `most`.
std::int64_t RoomFor(const model::Pod& pod, const model::NodeState& node, std::int64_t most);

}  // namespace berth::policies::fit
