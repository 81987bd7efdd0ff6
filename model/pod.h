#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/host_port.h"
#include "model/node.h"
#include "model/node_selector.h"
#include "model/pod_selector.h"
#include "model/resources.h"
#include "model/taint.h"
#include "model/time.h"

namespace berth::model {

/// Which fields of a pod influence kube-scheduler's own scoring plugins, besides its requests,
/// tolerations and images. A plain value.
struct ScoredFields {
  /// Whether its node affinity has preferred terms.
  bool node_preferences = false;
  /// Whether it has an affinity or anti-affinity to pods, required or preferred.
  bool pod_affinity = false;
  /// Whether it has topology spread constraints of any kind.
  bool spread_constraints = false;
  /// Whether one of its topology spread constraints is not DoNotSchedule.
  bool soft_spread = false;
  /// Whether one of them is DoNotSchedule, so that it excludes nodes.
  bool hard_spread = false;
  /// Whether its controller is a ReplicaSet, a StatefulSet or a ReplicationController.
  bool replicated = false;
  /// Whether spec.resourceClaims is not empty.
  bool claims = false;

  friend bool operator==(const ScoredFields&, const ScoredFields&) = default;
};

/// The most bytes of Pod::why_gang_waits. Every pod of a gang has the message, and whoever may
/// write the status of pods may make it as long as an object can be. The planner's own messages
/// name a gang and a pod or two, and end with what to write instead.
inline constexpr std::size_t kMostGangMessage = 512;

/// What Berth keeps of a v1.Pod. A plain value. Fields that cannot matter once the pod is bound are
/// empty then, to save memory. The same type is used for the pod that kube-scheduler asks about and
/// for the bound pods of the snapshot.
struct Pod {
  std::string namespace_;
  std::string name;
  /// Distinguishes the pod from others that had its name.
  std::string uid;
  /// The node that the pod is bound to; empty until then.
  std::string node_name;
  /// metadata.annotations, in which users state what the pod requires.
  StringMap annotations;
  std::vector<Toleration> tolerations;
  /// What the whole pod requests, as kube-scheduler counts it. The containers are summed, init
  /// containers count by their maximum, and sidecars (restartable init containers) and the overhead
  /// are added. A limit stands in for a missing request, as in the API server's defaulting. See
  /// PodRequests in k8s.io/component-helpers/resource/helpers.go.
  Resources requests;
  /// Its node selector and required node affinity. Empty once the pod is bound.
  NodeNeeds needs;
  /// The ports of the node that its containers and sidecars ask for.
  std::vector<HostPort> host_ports;
  /// Whether it has a volume that may not be attached on every node: a claim or a disk.
  bool attached_volumes = false;
  /// spec.schedulerName: the scheduler that places the pod.
  std::string scheduler;
  /// Whether spec.schedulingGates is not empty: no scheduler looks at the pod yet.
  bool gated = false;
  /// The names in spec.schedulingGates, in their order. Empty once the pod is bound.
  std::vector<std::string> gates;
  /// The PodGroup in spec.schedulingGroup, with which kube-scheduler places the pod
  /// (Kubernetes 1.37, feature GenericWorkload). Empty if there is none, and once the pod is bound.
  std::string scheduling_group;
  /// spec.priorityClassName. Empty once the pod is bound.
  std::string priority_class;
  /// status.nominatedNodeName: the node that kube-scheduler tries first, and that counts as used by
  /// the pod until then. Empty once the pod is bound.
  std::string nominated_node;
  /// metadata.creationTimestamp.
  Time created = kNoTime;
  /// metadata.deletionTimestamp: when the pod should be gone, its grace period included. kNoTime
  /// unless somebody has deleted the pod.
  Time deleted = kNoTime;
  /// When the pod was bound: the time of its condition PodScheduled, which the API server sets to
  /// True with the binding (assignPod in
  /// k8s.io/kubernetes/pkg/registry/core/pod/storage/storage.go, v1.36.3). kNoTime until then, and
  /// if it has no such condition.
  Time bound = kNoTime;
  /// The name of the Job (of the API group batch) that controls the pod. Empty if none does, and
  /// unless somebody has deleted the pod.
  std::string job;
  /// The UID of the object that controls the pod, such as its Job. Empty if none does.
  std::string controller_uid;
  /// Whether the phase is Failed, and not because somebody ended the pod: it does not have the
  /// condition DisruptionTarget.
  bool failed_by_itself = false;
  /// Pods with a higher priority come first. The API server writes it from the PriorityClass. 0 if
  /// absent.
  std::int32_t priority = 0;
  /// Why kube-scheduler found no node for the pod, in its words: the message of the condition
  /// PodScheduled, if its status is False and its reason Unschedulable. Empty once the pod is
  /// bound.
  std::string unschedulable;
  /// Why its gang waits, in the planner's words: the message of the first condition that is named
  /// "<prefix>/gang", whatever the prefix, and whose status is False. Of a longer message the
  /// beginning, as kMostGangMessage says. Empty: the condition gives no reason. Nothing: there is
  /// no such condition, or the pod is bound.
  std::optional<std::string> why_gang_waits;
  /// Whether the phase is Succeeded or Failed, in which the pod uses nothing any more.
  bool terminated = false;
  /// Empty once the pod is bound: only the labels of unbound pods are read.
  StringMap labels;
  /// What makes kube-scheduler's own scoring matter for this pod.
  ScoredFields scored;
  /// The pods that this pod prefers to be near, or not near: the terms of its required affinity,
  /// its preferred affinity and its preferred anti-affinity. Its required anti-affinity is not
  /// among them, because it excludes nodes instead of scoring them. Once this pod is bound,
  /// kube-scheduler scores nodes for the selected pods by these terms (processExistingPod in
  /// k8s.io/kubernetes/pkg/scheduler/framework/plugins/interpodaffinity/scoring.go, v1.36.3).
  std::vector<PodSelector> affinity_terms;

  friend bool operator==(const Pod&, const Pod&) = default;
};

/// Why the planner holds the pod back with its gang, in its words. Empty: it does not, or it has
/// not said why. Only a gate or the PodGroup that a pod names can hold it back; what the condition
/// of any other pod says was not taken back when it was let go. Valid as long as the pod.
inline std::string_view WhyGangIsHeld(const Pod& pod) {
  const bool is_held = pod.gated || !pod.scheduling_group.empty();
  return is_held && pod.why_gang_waits ? std::string_view(*pod.why_gang_waits) : "";
}

}  // namespace berth::model
