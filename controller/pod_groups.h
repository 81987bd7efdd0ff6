#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include "absl/status/status.h"
#include "kube/json_value.h"
#include "kube/permission.h"
#include "kube/transport.h"
#include "model/gang.h"
#include "planner/round.h"

namespace berth::controller {

// The PodGroups (scheduling.k8s.io/v1beta1, Kubernetes 1.37) for which pods of gangs wait. Those of
// Berth have the label "berth.dev/gang: true"; others are never touched.

/// The rights that the following need at the API server.
inline constexpr kube::Permission kPodGroupPermissions[] = {
    {"scheduling.k8s.io", "podgroups", "create"},
    {"scheduling.k8s.io", "podgroups", "delete"},
    {"scheduling.k8s.io", "podgroups", "list"},
    {"scheduling.k8s.io", "podgroups", "patch"}};

/// The minCount of a PodGroup that is closed: no gang has as many pods (model::kMaxGangSize).
inline constexpr std::int64_t kClosedMinCount = std::numeric_limits<std::int32_t>::max();

/// Whether kube-scheduler may place pods of the PodGroup, an object of the API.
bool IsOpen(const kube::JsonValue& pod_group);

/// A PodGroup to create. A plain value.
struct NewPodGroup {
  std::string namespace_;
  std::string name;
  /// How many pods kube-scheduler places together at least.
  std::size_t min_count = 1;
  /// That of its pods: kube-scheduler places none whose priority is another.
  std::string priority_class = {};
  /// Whether somebody lets its pods go by hand: then the planner leaves it as it is.
  bool freed = false;
};

/// Creates the PodGroup closed, and opens it. kube-scheduler takes up the pods of a new PodGroup
/// one after the other, and may try the first ones before it has the others; it then refuses them,
/// and the PodGroup waits for a second or more (AddPodGroup in k8s.io/kubernetes/pkg/scheduler/
/// backend/queue/scheduling_queue.go, v1.37.2). When a closed one is opened, all go together.
///
/// It is no error if there is one of its name. It is opened if it is Berth's and closed, as one is
/// whose controller has stopped between the two. If it is Berth's and `group.freed`, it lets
/// `group.min_count` pods go in any case, and has the annotation from then on.
///
///   POST /apis/scheduling.k8s.io/v1beta1/namespaces/ml/podgroups
///   {"metadata":{"labels":{"berth.dev/gang":"true"},"name":"berth-train"},
///    "spec":{"priorityClassName":"high","schedulingPolicy":{"gang":{"minCount":2147483647}}}}
///   PATCH /apis/scheduling.k8s.io/v1beta1/namespaces/ml/podgroups/berth-train
///   [{"op":"test","path":"/metadata/labels/berth.dev~1gang","value":"true"},
///    {"op":"test","path":"/spec/schedulingPolicy/gang/minCount","value":2147483647},
///    {"op":"replace","path":"/spec/schedulingPolicy/gang/minCount","value":16}]
absl::Status CreatePodGroup(kube::Transport& transport, const NewPodGroup& group,
                            const model::GangNames& names);

/// Deletes the PodGroup of this UID, although pods that run belong to it: kube-scheduler takes a
/// pod whose PodGroup is gone for one by itself. Takes the finalizer away that keeps it as long as
/// such pods run (podGroupProtectionPlugin in
/// k8s.io/kubernetes/plugin/pkg/admission/scheduling/podgroupprotection/admission.go, v1.37.2). It
/// is no error if it is gone.
///
///   PATCH /apis/scheduling.k8s.io/v1beta1/namespaces/ml/podgroups/berth-train
///   {"metadata":{"$deleteFromPrimitiveList/finalizers":["scheduling.k8s.io/podgroup-protection"],
///    "uid":"..."}}
///   DELETE /apis/scheduling.k8s.io/v1beta1/namespaces/ml/podgroups/berth-train
///   {"preconditions":{"uid":"..."}}
absl::Status DeletePodGroup(kube::Transport& transport, const std::string& namespace_name,
                            const std::string& name, const std::string& uid);

/// Reads which PodGroups of Berth there are. Not thread-safe.
class PodGroupReader {
 public:
  /// What is known.
  struct Known {
    /// As they were last read.
    planner::PodGroups groups = {};
    /// A clause that says why they could not be read just now. Empty: they were.
    std::string obstacle = {};
  };

  /// `transport` must outlive this.
  PodGroupReader(kube::Transport* transport, const model::GangNames& names);

  /// Reads them by one request, from the API server's memory, or page by page if they are more than
  /// one page may have. Those that cannot be read are left out. Logs when they cannot be listed,
  /// and when they can again.
  const Known& Read();

 private:
  absl::Status List(const std::function<void(const kube::JsonValue& item)>& take);

  kube::Transport* const transport_;
  // The annotation of those that were let go by hand.
  const std::string freed_;
  const std::string label_;
  Known known_;
};

}  // namespace berth::controller
