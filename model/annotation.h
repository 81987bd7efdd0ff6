#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace berth::model {

/// The name of one of Berth's own labels, annotations or taints, without the configured prefix:
/// "applied" stands for "berth.dev/applied".
struct OwnName {
  std::string_view name;

  /// The full name: "berth.dev/applied" for the prefix "berth.dev".
  std::string Below(std::string_view prefix) const;

  /// Whether `full_name` is this name below some prefix, whichever.
  bool IsNameOf(std::string_view full_name) const;
};

/// Kubernetes' own annotation that tells which completion of an Indexed Job a pod is, from 0
/// (JobCompletionIndexAnnotation in k8s.io/kubernetes/staging/src/k8s.io/api/batch/v1/types.go,
/// v1.36.3).
inline constexpr std::string_view kJobCompletionIndex = "batch.kubernetes.io/job-completion-index";

// Labels of nodes. The controller writes them. Admission writes node affinities to them, which
// every scheduler respects, and `berth doctor` checks them.

/// The node's model, as the catalogue names it.
inline constexpr OwnName kAcceleratorLabel{"accelerator"};
/// The memory of one device in whole GiB. Users write the annotation of the same name on pods that
/// need a minimum memory per device, such as "40Gi". Admission, the extender and `berth doctor`
/// read that annotation.
inline constexpr OwnName kAcceleratorMemory{"accelerator-memory"};

/// "allowed" on nodes that may be repaired, for the templates of node-operation-controller; see
/// controller/repair_plan.h. Administrators may write another value, which keeps the node from
/// that.
inline constexpr OwnName kRepairLabel{"repair"};

// The taint of nodes that the controller writes if `controller.taints` is true. Every scheduler
// respects it.

/// On nodes that Berth's health rules exclude, with the effect NoSchedule. The value is the type of
/// the condition. `berth doctor` checks who tolerates it, and the extender counts it.
inline constexpr OwnName kExcludedTaint{"excluded"};

// The annotation of nodes that the controller writes if `controller.avoidFor` is set.

/// Whose pods have failed on the node and shall not begin there again for a while; see
/// model/avoid.h. The extender and the planner read it.
inline constexpr OwnName kAvoidAnnotation{"avoid"};

// The annotation of nodes that the controller writes while it keeps room for gangs.

/// How many devices of the node are kept for which gangs that wait; see model/kept_room.h. The
/// extender reads it.
inline constexpr OwnName kKeptAnnotation{"kept"};

// On the pods of active checks, which the controller makes and reads; see checks/check_pod.h.

/// The label with the name of the check.
inline constexpr OwnName kActiveCheckLabel{"active-check"};
/// The annotations with the name and the UID of the node that is checked.
inline constexpr OwnName kActiveCheckNodeAnnotation{"active-check-node"};
inline constexpr OwnName kActiveCheckNodeUidAnnotation{"active-check-node-uid"};

// On the pods of preflights of gangs, which the controller makes and reads; see
// checks/preflight_pod.h. The node that a pod checks stands in the two annotations above.

/// The label of all pods of one preflight.
inline constexpr OwnName kPreflightLabel{"preflight"};
/// The annotations with the gang, "<namespace>/<name>", and the rank of the pod.
inline constexpr OwnName kPreflightGangAnnotation{"preflight-of"};
inline constexpr OwnName kPreflightRankAnnotation{"preflight-rank"};

// Labels of namespaces. Users write them, and the API server selects the webhooks by them. Of
// Berth, only `berth doctor` reads one of them.

/// "enforce", "warn" or "off".
inline constexpr OwnName kAdmissionLabel{"admission"};
/// "true" lets admission respect the annotation of the same name. Users write that annotation on
/// pods without accelerators that may use nodes with accelerators.
inline constexpr OwnName kAllowAcceleratorNodes{"allow-accelerator-nodes"};

// Annotations that users write on pods.

/// Models, best first: "A100,V100". Admission and the extender read it.
inline constexpr OwnName kAcceleratorsAnnotation{"accelerators"};
/// "true" or the name of a claim. Admission and `berth doctor` read it.
inline constexpr OwnName kCheckpointAnnotation{"checkpoint"};
/// When the pod last wrote a checkpoint, in RFC 3339: "2026-01-31T12:00:00Z". Trainers or a sidecar
/// write it on running pods. The extender reads it before pods are preempted.
inline constexpr OwnName kCheckpointedAtAnnotation{"checkpointed-at"};
/// The key of the checkpoint's path, if the default does not do. Admission reads it.
inline constexpr OwnName kCheckpointKeyAnnotation{"checkpoint-key"};
/// "own" on a Job or its pods keeps the Job's retries as its author wrote them, in namespaces that
/// the configuration lists. Admission reads it.
inline constexpr OwnName kRetriesAnnotation{"retries"};

// What makes pods a gang: they run all together or not at all. Users may write all of these, and
// admission completes them; model/gang.h reads them.

/// "true" on a pod, on what makes pods, or on their template asks for a gang; "false" declines it.
/// May also be a label. It is also the name of the scheduling gate that admission adds to the pods.
inline constexpr OwnName kGang{"gang"};
/// The gang's name, on its pods.
inline constexpr OwnName kGangNameAnnotation{"gang-name"};
/// The number of its pods, on the pods and their templates.
inline constexpr OwnName kGangSizeAnnotation{"gang-size"};
/// The label of nodes that all pods of the gang have to share. The planner reads it.
inline constexpr OwnName kGangTopologyAnnotation{"gang-topology"};
/// "any" lets the pods of a gang get different models. The planner reads it.
inline constexpr OwnName kGangModelsAnnotation{"gang-models"};
/// "true" or "false": whether the nodes of the gang are checked together before it starts. The
/// planner reads it.
inline constexpr OwnName kGangPreflightAnnotation{"gang-preflight"};
/// How long a pod runs at most, such as "2h". Users write it on pods, and nobody enforces it. With
/// it a pod may use nodes that the planner keeps for a gang, and nodes whose maintenance is
/// planned.
inline constexpr OwnName kMaxRuntimeAnnotation{"max-runtime"};

/// Until when a notebook may hold devices that it does not use, in RFC 3339. Users write it on
/// pods. The controller reads it before it evicts notebooks.
inline constexpr OwnName kKeepIdleUntilAnnotation{"keep-idle-until"};

// Annotations that admission writes.

/// The user who created the object, on the object and its pods. Meant for people, and for what
/// tells who holds which devices; see usage/holdings.h.
inline constexpr OwnName kCreatedByAnnotation{"created-by"};
/// The policies that apply to the object, on the object. Meant for people; of Jobs, the controller
/// reads it before it ends a pod on a lost node.
inline constexpr OwnName kAppliedAnnotation{"applied"};
/// Marks the pods of a Job that has no limits and therefore no retries. Admission reads it when the
/// Job controller creates the pods.
inline constexpr OwnName kRetrylessAnnotation{"retryless"};

// Annotations that the controller writes or reads.

/// The node that the controller has nominated, on waiting pods. The controller reads it to tell its
/// own nominations from those of others, and so does `berth explain`.
inline constexpr OwnName kPlanAnnotation{"plan"};
/// What that node was nominated for: "rescue", "backlog", "eviction" or "gang". `berth explain`
/// reads it.
inline constexpr OwnName kPlanForAnnotation{"plan-for"};
/// Which kube-scheduler the nomination of a gang's pod was written for, on waiting pods: the holder
/// of its Lease and the number of transitions. The controller reads it.
inline constexpr OwnName kPlanLeaseAnnotation{"plan-lease"};
/// "true" on pods of gangs that `berth release` or a user has let go by hand, or on the PodGroup
/// that was created for them. The planner reads it: it evicts no such gang for lack of pods.
inline constexpr OwnName kGangFreedAnnotation{"gang-freed"};
/// When the controller began to evict the pod's gang, and of how many pods, on the one of them that
/// runs and goes last. The controller reads it: it goes on with an eviction that ended half-way.
inline constexpr OwnName kGangEvictionAnnotation{"gang-eviction"};
/// When the controller last made kube-scheduler retry the pod, on waiting pods. Nothing reads it.
inline constexpr OwnName kNudgedAtAnnotation{"nudged-at"};
/// On Secrets. To get a new certificate, `berth certs renew` or a user writes a value that it did
/// not have before, such as the time. The controller reads it.
inline constexpr OwnName kRenewAnnotation{"renew"};
/// On Secrets. When the new certificate is there, the controller copies the value of the annotation
/// above to this one.
inline constexpr OwnName kRenewedAnnotation{"renewed"};

// The syntax of the annotations that users write on pods. All results are views into the argument.

/// Returns `text` without blanks, tabs and line ends at both ends.
std::string_view Trim(std::string_view text);

/// The most items of one list that are read. No catalogue has so many models.
inline constexpr std::size_t kMaxListItems = 1'000;

/// Returns the items of a comma-separated list, trimmed, in their order. Empty items are left out,
/// and so is everything after the first kMaxListItems items.
///
///   SplitList(" A100, ,V100 ")  // {"A100", "V100"}
std::vector<std::string_view> SplitList(std::string_view text);

}  // namespace berth::model
