#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "controller/gang_evictor.h"
#include "controller/pod_groups.h"
#include "kube/permission.h"
#include "kube/transport.h"
#include "model/gang.h"
#include "model/node.h"

namespace berth::controller {

/// The rights that Patcher needs at the API server.
inline constexpr kube::Permission kPatchPermissions[] = {{"", "nodes", "patch"},
                                                         {"", "pods", "patch"}};

/// What Patcher::NominatePod() needs in addition.
inline constexpr kube::Permission kNominatePermissions[] = {{"", "pods/status", "patch"}};

/// Writes labels of nodes, and annotations, nominated nodes, scheduling gates and one condition of
/// pods, by patches, and nothing else of any object; reports events, evicts gangs, and creates and
/// deletes their PodGroups. Each patch
/// contains the UID of the object. The API server refuses a patch that would change it, so another
/// object that has taken the name meanwhile is safe. Each method that is not told of elsewhere
/// sends one request and blocks until its reply has come. Errors are those of kube::CallJson(). Not
/// thread-safe.
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

  /// Sets one annotation of the node and leaves the others; removes it if `value` is empty. Errors
  /// are those of LabelNode().
  ///
  ///   PATCH /api/v1/nodes/gpu-7
  ///   {"metadata":{"annotations":{"berth.dev/avoid":"..."},"uid":"..."}}
  absl::Status AnnotateNode(std::string_view node, std::string_view uid,
                            std::string_view annotation, std::string_view value);

  /// Takes one label of the node away and leaves the others. Errors are those of LabelNode(); it is
  /// none if the node does not have the label.
  ///
  ///   PATCH /api/v1/nodes/gpu-7
  ///   {"metadata":{"labels":{"berth.dev/repair":null},"uid":"..."}}
  absl::Status UnlabelNode(std::string_view node, std::string_view uid, std::string_view label);

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
  ///
  /// `more`: further annotations to write with the nomination, and to remove with it.
  absl::Status NominatePod(std::string_view namespace_name, std::string_view name,
                           std::string_view uid, std::string_view node, std::string_view annotation,
                           const model::StringMap& more = {});

  /// Takes the pod's last scheduling gate away. Call it only for a pod with one gate, which is
  /// Berth's: nobody can add another (validateOnlyDeletedSchedulingGates in
  /// k8s.io/kubernetes/pkg/apis/core/validation/validation.go, v1.36.3). Returns Aborted, and
  /// changes nothing, if the pod of that name has another UID.
  ///
  ///   PATCH /api/v1/namespaces/ml/pods/train-0
  ///   {"metadata":{"uid":"..."},"spec":{"schedulingGates":null}}
  absl::Status UngatePod(std::string_view namespace_name, std::string_view name,
                         std::string_view uid);

  /// Lets a pod go by hand: takes the scheduling gate of gangs away, leaves the others, and notes
  /// by an annotation that it was not the planner who did so. It is no error if the pod does not
  /// have the gate. Returns Aborted, and changes nothing, if the pod of that name has another UID.
  ///
  ///   PATCH /api/v1/namespaces/ml/pods/train-0
  ///   {"metadata":{"annotations":{"berth.dev/gang-freed":"true"},"uid":"..."},
  ///    "spec":{"schedulingGates":[{"$patch":"delete","name":"berth.dev/gang"}]}}
  absl::Status FreePod(std::string_view namespace_name, std::string_view name, std::string_view uid,
                       const model::GangNames& names);

  /// Sets one condition of the pod and leaves the others: to False if `message` says why what
  /// `type` names does not hold, and to True if it is empty. `time` is when that began, as the API
  /// writes it. Returns Aborted, and changes nothing, if the pod of that name has another UID.
  ///
  ///   PATCH /api/v1/namespaces/ml/pods/train-0/status
  ///   {"metadata":{"uid":"..."},"status":{"conditions":[{"lastTransitionTime":"...",
  ///    "message":"...","reason":"Waiting","status":"False","type":"berth.dev/gang"}]}}
  absl::Status SetPodCondition(std::string_view namespace_name, std::string_view name,
                               std::string_view uid, std::string_view type,
                               std::string_view message, std::string_view time);

  /// Reports an event about the pod: `reason` is a word for programs, `message` a sentence. `time`
  /// is now, as the API writes it.
  ///
  ///   POST /api/v1/namespaces/ml/events
  ///   {"firstTimestamp":"...","involvedObject":{"apiVersion":"v1","kind":"Pod","name":"train-0",
  ///    "namespace":"ml","uid":"..."},"lastTimestamp":"...","message":"...",
  ///    "metadata":{"generateName":"train-0."},"reason":"GangWaits","source":{"component":"berth"},
  ///    "type":"Normal"}
  absl::Status ReportEvent(std::string_view namespace_name, std::string_view name,
                           std::string_view uid, std::string_view reason, std::string_view message,
                           std::string_view time);

  /// See controller::CountSucceeded().
  absl::StatusOr<planner::SucceededPods> CountSucceeded(const std::string& namespace_name,
                                                        const model::GangNames& names) {
    return controller::CountSucceeded(*transport_, namespace_name, names);
  }
  /// See controller::PodsOfGangs().
  absl::StatusOr<PodsByGang> PodsOfGangs(const std::string& namespace_name,
                                         const std::set<std::string>& gangs,
                                         const model::GangNames& names) {
    return controller::PodsOfGangs(*transport_, namespace_name, gangs, names);
  }
  /// See controller::MayHaveBudgets().
  bool MayHaveBudgets(const std::string& namespace_name) {
    return controller::MayHaveBudgets(*transport_, namespace_name);
  }
  /// See controller::EvictGang().
  absl::Status EvictGang(const GangToEvict& gang, std::vector<RunningPod> pods,
                         const model::GangNames& names, const EvictPods& evict) {
    return controller::EvictGang(*transport_, gang, std::move(pods), names, evict);
  }
  /// See controller::EvictPod().
  absl::Status EvictPod(const model::Pod& pod, bool dry_run) {
    return controller::EvictPod(*transport_, pod, dry_run);
  }
  /// See controller::EvictRestOfGang().
  absl::Status EvictRestOfGang(const GangToEvict& gang, std::vector<RunningPod> pods,
                               const model::GangNames& names, const EvictPods& evict) {
    return controller::EvictRestOfGang(*transport_, gang, std::move(pods), names, evict);
  }
  /// See controller::CreatePodGroup().
  absl::Status CreatePodGroup(const NewPodGroup& group, const model::GangNames& names) {
    return controller::CreatePodGroup(*transport_, group, names);
  }
  /// See controller::DeletePodGroup().
  absl::Status DeletePodGroup(const std::string& namespace_name, const std::string& name,
                              const std::string& uid) {
    return controller::DeletePodGroup(*transport_, namespace_name, name, uid);
  }

 private:
  kube::Transport* const transport_;
};

}  // namespace berth::controller
