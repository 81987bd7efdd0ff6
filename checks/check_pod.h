#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "checks/config.h"
#include "kube/api_object.h"
#include "kube/json_value.h"
#include "model/pod.h"
#include "model/time.h"

// The pod in which a check runs: what the API server gets, and what is read of it afterwards.
//
// A pod of its own, and no Job: a Job's finalizer keeps a deleted pod until the Job's controller
// has counted it, and until then the pod holds the node's devices for kube-scheduler.

namespace berth::checks {

/// A check that is to run on a node. A plain value.
struct Order {
  ActiveCheck check;
  std::string node;
  /// Of the node.
  std::string node_uid;
  /// What the node has its devices as, and how many it has: the check gets all of them.
  std::string resource;
  std::int64_t devices = 0;
  /// Whether the pod is put on the node without kube-scheduler. Right for nodes that Berth refuses
  /// because the check failed there: no kube-scheduler would place the pod, and none places
  /// another pod on the same devices meanwhile.
  bool directly = false;

  friend bool operator==(const Order&, const Order&) = default;
};

/// Where the pods are, and by which names they are known. A plain value.
struct Names {
  /// Of Berth's labels, annotations and taints: "berth.dev".
  std::string prefix;
  /// The namespace of the pods.
  std::string namespace_name;
};

/// The label of the pods, whose value is the name of the check: "berth.dev/active-check".
std::string CheckLabel(const Names& names);

/// The pod's name: one for each check and node, so that two controllers cannot start both.
std::string PodName(const Order& order);

/// The pod as kube-scheduler judges it, for policies and fit.
model::Pod ModelOf(const Order& order, const Names& names);

/// The pod as JSON, for a POST; see SpecOf() in checks/pod_spec.h. It asks for all devices of the
/// node, and is Guaranteed.
std::string PodJson(const Order& order, const CheckPodsConfig& pods, const Names& names,
                    const std::optional<kube::OwnerReference>& owner);

/// How far a check is.
enum class Outcome {
  /// It waits or runs.
  kOpen,
  kPassed,
  /// The container ended by itself with another exit code than 0.
  kFailed,
  /// It ended and tells nothing about the node: the container never started, ran out of memory or
  /// time, or somebody ended the pod.
  kNotRun,
};

/// What is known of the pod of a check. A plain value.
struct CheckPod {
  std::string name;
  std::string uid;
  /// Name of the check.
  std::string check;
  std::string node;
  std::string node_uid;
  model::Time created = model::kNoTime;
  Outcome outcome = Outcome::kOpen;
  /// Of kFailed, and only then not 0.
  std::int64_t exit_code = 0;
  /// Of kNotRun: a word of Kubernetes' such as "Evicted"; may be empty.
  std::string reason;
  /// Whether kube-scheduler evicts it for another pod.
  bool preempted = false;
  /// Whether somebody has deleted it; it is about to be gone.
  bool deleted = false;

  friend bool operator==(const CheckPod&, const CheckPod&) = default;
};

/// Reads a v1.Pod. A field that cannot be read is reported in the document's error.
CheckPod ReadCheckPod(const kube::JsonValue& pod, const Names& names);

}  // namespace berth::checks
