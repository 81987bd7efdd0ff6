#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/node.h"
#include "model/pod_selector.h"
#include "model/resources.h"
#include "model/taint.h"
#include "model/time.h"

namespace berth::model {

/// What of a pod gives kube-scheduler's own scoring plugins a say, besides its requests,
/// tolerations and images.
struct ScoredFields {
  /// Preferred terms of its node affinity.
  bool node_preferences = false;
  /// An affinity or anti-affinity to pods, required or preferred.
  bool pod_affinity = false;
  /// Topology spread constraints of any kind; and one among them that is not DoNotSchedule.
  bool spread_constraints = false;
  bool soft_spread = false;
  /// Its controller is a ReplicaSet, a StatefulSet or a ReplicationController.
  bool replicated = false;
  /// spec.resourceClaims has any.
  bool claims = false;

  friend bool operator==(const ScoredFields&, const ScoredFields&) = default;
};

/// What Berth keeps of a v1.Pod. A plain value.
struct Pod {
  std::string namespace_;
  std::string name;
  std::string uid;
  /// Empty until the pod is bound.
  std::string node_name;
  StringMap annotations;
  std::vector<Toleration> tolerations;
  /// What the whole pod asks for, as kube-scheduler counts it: containers summed, init containers
  /// as maximum, sidecars (restartable init containers) added, overhead added; a limit stands in
  /// for a missing request as the API server's defaulting has it.
  /// k8s.io/component-helpers/resource/helpers.go, PodRequests.
  Resources requests;
  Time created = kNoTime;
  /// Higher is served first. The API server writes it from the PriorityClass; absent is 0.
  std::int32_t priority = 0;
  /// Why kube-scheduler found no node for it, in its words: the message of condition PodScheduled
  /// where its status is False and its reason Unschedulable. Empty once the pod is bound.
  std::string unschedulable;
  /// Phase Succeeded or Failed: it holds nothing any more.
  bool terminated = false;
  /// Empty once the pod is bound: nobody asks for them then.
  StringMap labels;
  ScoredFields scored;
  /// The pods that it would have near, or not near, without refusing to be elsewhere: terms of its
  /// required affinity, its preferred affinity and its preferred anti-affinity. Once it is bound,
  /// kube-scheduler scores nodes for those pods by these terms (processExistingPod in
  /// k8s.io/kubernetes/pkg/scheduler/framework/plugins/interpodaffinity/scoring.go, v1.36.3).
  std::vector<PodSelector> affinity_terms;

  friend bool operator==(const Pod&, const Pod&) = default;
};

}  // namespace berth::model
