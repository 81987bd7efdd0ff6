#pragma once

#include <string>
#include <vector>

#include "model/node.h"
#include "model/resources.h"
#include "model/taint.h"
#include "model/time.h"

namespace berth::model {

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
  /// Why kube-scheduler found no node for it, in its words: the message of condition PodScheduled
  /// where its status is False and its reason Unschedulable. Empty once the pod is bound.
  std::string unschedulable;
  /// Phase Succeeded or Failed: it holds nothing any more.
  bool terminated = false;

  friend bool operator==(const Pod&, const Pod&) = default;
};

}  // namespace berth::model
