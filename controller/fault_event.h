#pragma once

#include <optional>
#include <string>

#include "controller/fault_watch.h"
#include "model/accelerator.h"
#include "model/pod.h"
#include "model/time.h"

namespace berth::controller {

/// A v1.Event that is to be written once, whoever writes it and however often. A plain value.
struct FaultEvent {
  /// What is told of: a Node or a Pod. Empty for a node: the event of a node lies in `default`
  /// (legacyValidateEvent in k8s.io/kubernetes/pkg/apis/core/validation/events.go, v1.36.3).
  std::string namespace_name;
  std::string name;
  std::string uid;
  /// A word for programs.
  std::string reason;
  /// A sentence for people.
  std::string message;
  bool is_warning = false;
  /// The event's own name. It is the same for the same transition, so the API server refuses a
  /// second one.
  std::string id;

  friend bool operator==(const FaultEvent&, const FaultEvent&) = default;
};

/// Returns what is told of a node: that it is excluded (a warning, reason Excluded), or back
/// (Returned). Nothing if it is vacated, or if other conditions still exclude it.
std::optional<FaultEvent> EventOfNode(const FaultChange& change);

/// Returns what is told of a pod on a node that is excluded: a warning, reason NodeExcluded.
FaultEvent EventOfPod(const FaultChange& change, const model::Pod& pod);

/// Returns whether such an event is for the pod: it has not ended, is on the node, and asks for a
/// device of the node's pool, or for a slice of one. If the condition is only about some resources,
/// for one of these. `pool` is the pool's entry in the catalogue.
bool IsToldOf(const FaultChange& change, const model::Pod& pod, const model::AcceleratorSpec& pool);

/// Where the event is created: "/api/v1/namespaces/ml/events".
std::string PathOf(const FaultEvent& event);

/// The event as JSON. `now` is when the transition was seen.
std::string JsonOf(const FaultEvent& event, model::Time now);

}  // namespace berth::controller
