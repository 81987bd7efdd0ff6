#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "kube/permission.h"
#include "kube/transport.h"
#include "model/node.h"

namespace berth::controller {

/// The rights that Patcher needs at the API server.
inline constexpr kube::Permission kPatchPermissions[] = {{"", "nodes", "patch"},
                                                         {"", "pods", "patch"}};

/// What Patcher::NominatePod() needs in addition.
inline constexpr kube::Permission kNominatePermissions[] = {{"", "pods/status", "patch"}};

/// Writes labels of nodes, and annotations and nominated nodes of pods, by JSON merge patch, and
/// nothing else of any object. Each patch contains the UID of the object. The API server refuses a
/// patch that would change it, so another object that has taken the name meanwhile is safe. Each
/// method sends one request and blocks until its reply has come. Errors are those of
/// kube::CallJson(). Not thread-safe.
class Patcher {
 public:
  /// `transport` must outlive this.
  explicit Patcher(kube::Transport* transport) : transport_(transport) {}

  /// Sets these labels of the node and leaves the others. Returns Aborted or InvalidArgument, and
  /// changes nothing, if the node of that name has another UID.
  ///
  ///   PATCH /api/v1/nodes/gpu-7
  ///   {"metadata":{"labels":{"berth.dev/accelerator":"V100"},"uid":"..."}}
  absl::Status LabelNode(std::string_view node, std::string_view uid,
                         const model::StringMap& labels);

  /// Sets one annotation of the pod and leaves the others. Returns Aborted, and changes nothing, if
  /// the pod of that name has another UID.
  ///
  ///   PATCH /api/v1/namespaces/ml/pods/train-0
  ///   {"metadata":{"annotations":{"berth.dev/nudged-at":"2026-01-31T12:00:00Z"},"uid":"..."}}
  absl::Status AnnotatePod(std::string_view namespace_name, std::string_view name,
                           std::string_view uid, std::string_view annotation,
                           std::string_view value);

  /// Sets status.nominatedNodeName of the pod to `node`, and the annotation to the same; removes
  /// both if `node` is empty. Returns Aborted, and changes nothing, if the pod of that name has
  /// another UID, or is bound by now (ValidatePodStatusUpdate in
  /// k8s.io/kubernetes/pkg/apis/core/validation/validation.go, v1.36.3).
  ///
  ///   PATCH /api/v1/namespaces/ml/pods/train-0/status
  ///   {"metadata":{"annotations":{"berth.dev/plan":"gpu-7"},"uid":"..."},
  ///    "status":{"nominatedNodeName":"gpu-7"}}
  absl::Status NominatePod(std::string_view namespace_name, std::string_view name,
                           std::string_view uid, std::string_view node,
                           std::string_view annotation);

 private:
  kube::Transport* const transport_;
};

}  // namespace berth::controller
