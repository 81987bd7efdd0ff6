#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::model {

/// The effect of taints that kube-scheduler avoids if other nodes have room, but does not enforce.
inline constexpr std::string_view kPreferNoSchedule = "PreferNoSchedule";
/// The effect of taints that kube-scheduler enforces, and that leave running pods alone.
inline constexpr std::string_view kNoSchedule = "NoSchedule";

/// The key of the taint that node-operation-controller puts on a node, with the effect NoSchedule,
/// from the moment at which it begins to drain the node until the repair is over
/// (internal/controller/nodeoperation_controller.go in pfnet-research/node-operation-controller).
inline constexpr std::string_view kOperatingTaint = "nodeops.k8s.preferred.jp/operating";

/// One v1.Taint of a node. A plain value.
struct Taint {
  std::string key;
  std::string value;
  /// NoSchedule, PreferNoSchedule or NoExecute; not checked.
  std::string effect;

  friend bool operator==(const Taint&, const Taint&) = default;
};

/// One v1.Toleration of a pod. A plain value; texts are as in the API object, unchecked.
struct Toleration {
  /// Empty if it tolerates every key.
  std::string key;
  /// "Exists" ignores the value. "Equal", or empty, compares it.
  std::string op;
  /// Compared by "Equal" only.
  std::string value;
  /// Empty if it tolerates every effect.
  std::string effect;

  friend bool operator==(const Toleration&, const Toleration&) = default;
};

/// Whether one of `tolerations` tolerates `taint`, by the rules of ToleratesTaint in
/// k8s.io/api/core/v1/toleration.go (v0.36.3): effect and key are equal or not stated, and the
/// value is equal or the operator is Exists. The operators Lt and Gt tolerate nothing, as in
/// Kubernetes while their feature gate is off.
bool IsTolerated(const Taint& taint, std::span<const Toleration> tolerations);

/// The tolerations of a pod, to be asked about the taints of many nodes. Whoever may create pods
/// can write 10,000 of them, each of which would be compared with each taint of each node. An
/// immutable value; thread-safe.
class Tolerations {
 public:
  /// Takes O(n log n) time, and little for the few that pods mostly have.
  explicit Tolerations(std::span<const Toleration> tolerations);

  /// The same as IsTolerated(), in O(log n) time.
  bool Tolerate(const Taint& taint) const;

 private:
  // As given, if they are few. Otherwise in one spelling, in ascending order, each once.
  std::vector<Toleration> tolerations_;
};

/// Returns the taint of that key and effect, of which a node has at most one (ValidateTaintsInNode
/// in k8s.io/kubernetes/pkg/apis/core/validation/validation.go, v1.36.3); null if there is none. It
/// points into `taints`.
const Taint* FindTaint(std::span<const Taint> taints, std::string_view key,
                       std::string_view effect);

}  // namespace berth::model
