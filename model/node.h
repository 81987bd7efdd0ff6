#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/resources.h"
#include "model/taint.h"
#include "model/time.h"

namespace berth::model {

/// Names and values of labels or annotations, ascending by name, each name once. A vector takes
/// less memory than a map, and objects have few entries.
using StringMap = std::vector<std::pair<std::string, std::string>>;

/// Returns the value of `name` in `map`, or nullopt. The view is into `map`. Takes logarithmic
/// time.
std::optional<std::string_view> Find(const StringMap& map, std::string_view name);

/// Sorts entries that are in any order, as StringMap requires. Of equal names, the last one stays.
void Normalize(StringMap& map);

/// The status of a condition. Any text other than "True" and "False" is kUnknown.
enum class ConditionStatus { kTrue, kFalse, kUnknown };

/// What a condition says about its node.
enum class ConditionHealth { kWell, kBad, kUnknown };

/// What `status` says to a reader who takes `bad` for the sign of a fault: kTrue for most types, as
/// of GPUIsLost, and kFalse for a type such as AcceleratedHardwareReady. Everything in Berth that
/// tells bad conditions from others asks this function. `bad` must not be kUnknown.
constexpr ConditionHealth HealthOf(ConditionStatus status, ConditionStatus bad) {
  if (status == ConditionStatus::kUnknown) return ConditionHealth::kUnknown;
  return status == bad ? ConditionHealth::kBad : ConditionHealth::kWell;
}

/// One v1.NodeCondition, without its reason and message, on which no decision depends. Its times
/// are those in the object, by the clock of whoever wrote them. A plain value.
struct Condition {
  /// "Ready", or a type that some detector reports.
  std::string type;
  ConditionStatus status = ConditionStatus::kUnknown;
  /// When the status last changed, or kNoTime.
  Time last_transition = kNoTime;
  /// When the detector last reported the condition, or kNoTime.
  Time last_heartbeat = kNoTime;

  friend bool operator==(const Condition&, const Condition&) = default;
};

/// What Berth keeps of a v1.Node. A plain value. Decoders fill in everything; the snapshot keeps a
/// part.
struct Node {
  std::string name;
  StringMap labels;
  std::vector<Taint> taints;  // in the order of the API object
  /// spec.unschedulable: the node is cordoned.
  bool unschedulable = false;
  std::vector<Condition> conditions;  // in the order of the API object
  /// status.capacity: what the node has.
  Resources capacity;
  /// status.allocatable: what the node has for pods.
  Resources allocatable;
  /// The annotations named "<prefix>/avoid" and "<prefix>/kept", whatever the prefix: nothing else
  /// reads annotations of nodes. See model/avoid.h and model/kept_room.h.
  StringMap annotations = {};
  /// Distinguishes the node from others that had its name. The snapshot keeps it only if configured
  /// to; otherwise it is empty.
  std::string uid;

  friend bool operator==(const Node&, const Node&) = default;
};

/// Returns since when the node has not been Ready. Nothing if it is Ready, or if that is unknown:
/// it has no condition Ready, or the condition does not say since when.
///
/// kubelet sets the condition to False, and kube-controller-manager to Unknown when it has not
/// heard of the kubelet for a while (monitorNodeHealth in
/// k8s.io/kubernetes/pkg/controller/nodelifecycle/node_lifecycle_controller.go, v1.36.3).
std::optional<Time> NotReadySince(const Node& node);

}  // namespace berth::model
