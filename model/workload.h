#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/node.h"
#include "model/node_selector.h"
#include "model/quantity.h"

// Pods, and objects that create pods, as somebody wrote them. Unlike Pod, nothing is summed up,
// because admission changes single fields. Names and shapes are those of k8s.io/api core/v1 and
// batch/v1 (v0.36.3). All types are plain values; fields without a comment are those of the API.
namespace berth::model {

/// Quantities by resource name, as written.
using ResourceList = std::map<std::string, Quantity, std::less<>>;

/// A v1.ResourceRequirements as written, with the texts of the quantities. A request that is absent
/// has the value of its limit: the API server's defaulting writes it before admission
/// (SetDefaults_Pod in k8s.io/kubernetes/pkg/apis/core/v1/defaults.go). A limit that is absent
/// means no limit.
struct ResourceRequirements {
  ResourceList requests;
  ResourceList limits;

  friend bool operator==(const ResourceRequirements&, const ResourceRequirements&) = default;
};

/// A v1.EnvVar.
struct EnvVar {
  std::string name;
  /// Empty if the value comes from elsewhere (valueFrom).
  std::string value;

  friend bool operator==(const EnvVar&, const EnvVar&) = default;
};

/// A v1.VolumeMount: where a container sees a volume.
struct VolumeMount {
  /// The name of the Volume.
  std::string name;
  /// A path within the container.
  std::string mount_path;
  /// The part of the volume that is mounted. Empty for all of it.
  std::string sub_path;

  friend bool operator==(const VolumeMount&, const VolumeMount&) = default;
};

/// A v1.Container with its place in the pod.
struct Container {
  /// Whether it is in initContainers.
  bool init = false;
  /// Its index in initContainers or containers, nulls counted.
  std::size_t index = 0;
  /// Whether it is an init container that keeps running beside the others (restartPolicy Always).
  bool sidecar = false;
  std::string name;
  ResourceRequirements resources;
  std::vector<EnvVar> env;
  std::vector<VolumeMount> mounts;
  /// The claims of the pod that it uses (resources.claims), each by the name of its
  /// ResourceClaimTemplate or, if it has none, of its ResourceClaim. Empty for a claim that the pod
  /// lacks.
  std::vector<std::string> claims = {};
  /// Its own restartPolicy, which overrides the pod's: Always, OnFailure, Never. Empty if absent.
  std::string restart_policy = {};
  /// The actions of its restartPolicyRules: Restart, RestartAllContainers. A rule that matches the
  /// exit code overrides both restartPolicies (ContainerShouldRestart in
  /// k8s.io/kubernetes/pkg/api/v1/pod/util.go, v1.36.3).
  std::vector<std::string> restart_actions = {};
  /// The restartPolicy of each entry of its resizePolicy: NotRequired, RestartContainer.
  std::vector<std::string> resize_restarts = {};

  friend bool operator==(const Container&, const Container&) = default;
};

/// Returns the container's place below the pod's spec: "containers[0]", "initContainers[2]".
std::string FieldOf(const Container& container);

/// A v1.Volume.
struct Volume {
  std::string name;
  /// The name of the PersistentVolumeClaim. Empty for other kinds of volumes.
  std::string claim;

  friend bool operator==(const Volume&, const Volume&) = default;
};

/// The metadata and spec of a pod, or of a template of pods.
struct PodTemplate {
  /// metadata.annotations.
  StringMap annotations;
  /// initContainers first, in the order in which they start, then containers.
  std::vector<Container> containers;
  /// spec.resources, the resources of the pod as a whole. If set, they alone decide the QoS class.
  std::optional<ResourceRequirements> resources;
  /// A node must have all of these labels.
  StringMap node_selector;
  /// requiredDuringSchedulingIgnoredDuringExecution of the node affinity. A node must meet one of
  /// the terms. nullopt if the field is absent.
  std::optional<std::vector<NodeSelectorTerm>> node_terms;
  std::vector<Volume> volumes;
  /// Whether spec.resourceClaims is not empty.
  bool has_claims = false;
  /// "Always" if absent.
  std::string restart_policy = "Always";
  /// Seconds; 30 if absent.
  std::int64_t termination_grace_period = 30;
  /// The scheduler that places the pod.
  std::string scheduler_name = "default-scheduler";
  /// Empty unless the pod is bound already.
  std::string node_name;
  /// metadata.labels.
  StringMap labels = {};
  /// The names in spec.schedulingGates.
  std::vector<std::string> gates = {};
  /// The PodGroup in spec.schedulingGroup. Empty if there is none.
  std::string scheduling_group = {};

  friend bool operator==(const PodTemplate&, const PodTemplate&) = default;
};

/// A batch/v1 PodFailurePolicyRule, with all fields that decide whether a pod is retried.
/// Kubernetes applies the first rule that matches a failed pod. A rule is about exit codes or about
/// conditions.
struct FailureRule {
  /// Ignore, Count, FailJob, FailIndex.
  std::string action;
  /// In or NotIn. Empty if the rule is not about exit codes.
  std::string exit_code_op;
  /// The exit codes that exit_code_op compares with.
  std::vector<std::int64_t> exit_codes;
  /// The container whose exit code counts. Empty if that of any container does.
  std::string container = {};
  /// Types of the pod conditions that the rule is about. The status is appended if it is not True:
  /// "DisruptionTarget", "Ready=False".
  std::vector<std::string> conditions;
  /// The rule's index in the list that somebody wrote. nullopt if Berth added the rule.
  std::optional<std::size_t> written_at;

  friend bool operator==(const FailureRule&, const FailureRule&) = default;
};

/// A batch/v1 JobSpec without its template, which is in Workload::pod.
struct JobSpec {
  /// How many failed pods the Job replaces before it fails. 6 if absent, as in the API server's
  /// defaulting.
  std::int64_t backoff_limit = 6;
  /// The same for each index of an indexed Job; nullopt if absent.
  std::optional<std::int64_t> backoff_limit_per_index;
  /// The rules of podFailurePolicy, or nullopt if there is none.
  std::optional<std::vector<FailureRule>> failure_rules;
  /// When a failed pod is replaced: "TerminatingOrFailed" (if absent) or "Failed".
  std::string pod_replacement_policy = "TerminatingOrFailed";
  /// Empty for Kubernetes' own Job controller.
  std::string managed_by;
  /// Whether a queue decides when the Job runs, and may suspend it while it does: it is created
  /// suspended, or has the label of a queue of Kueue ("kueue.x-k8s.io/queue-name").
  bool queued = false;
  /// How many pods may run at the same time. 1 if absent.
  std::int64_t parallelism = 1;
  /// How many pods have to succeed. nullopt if absent.
  std::optional<std::int64_t> completions;
  /// Whether it has a successPolicy, which only indexed Jobs may have: the Job succeeds when some
  /// of its indexes have.
  bool has_success_policy = false;
  /// Whether each pod has an index of its own: completionMode is Indexed.
  bool indexed = false;

  friend bool operator==(const JobSpec&, const JobSpec&) = default;
};

/// A metav1.OwnerReference.
struct OwnerReference {
  std::string kind;
  std::string name;
  /// Whether this owner controls the object.
  bool controller = false;
  /// The API group of its apiVersion, e.g. "batch". Empty for the core group.
  std::string group = {};
  /// Tells it from other objects that had its name.
  std::string uid = {};

  friend bool operator==(const OwnerReference&, const OwnerReference&) = default;
};

/// A pod, a Job, or another object with a template of pods.
struct Workload {
  /// "Pod", "Job", "Deployment" and the like.
  std::string kind;
  std::string name;
  /// metadata.generateName, from which the API server makes a name.
  std::string generate_name;
  /// The object's own annotations if it is not a pod. A pod's are in `pod`; see
  /// ObjectAnnotations().
  StringMap annotations;
  /// metadata.ownerReferences. At most one of them controls the object.
  std::vector<OwnerReference> owners;
  /// Whether it has a deletionTimestamp.
  bool deleted = false;
  /// The pod itself, or the template of the object's pods.
  PodTemplate pod;
  /// The place of the pods' template in an object that is not of Kubernetes' own kinds, e.g.
  /// "spec.pytorchReplicaSpecs.Worker.template". Empty for Kubernetes' kinds, whose places are
  /// known.
  std::string template_field;
  /// Set for Jobs, CronJobs, and templates of Jobs in objects of other kinds.
  std::optional<JobSpec> job;
  /// status.qosClass of a pod, empty if absent. The API server computes it when the pod is created,
  /// but keeps what its author wrote (GetPodQOS in
  /// k8s.io/kubernetes/pkg/apis/core/helper/qos/qos.go, v1.36.3).
  std::string qos_class = {};
  /// The object's own labels if it is not a pod. A pod's are in `pod`.
  StringMap labels = {};
  /// The API group of an object that is not of Kubernetes' own kinds.
  std::string group = {};
  /// How many times the object uses the template: for each a pod, or the pods of a Job. nullopt if
  /// it is not known.
  std::optional<std::int64_t> replicas = {};
  /// How many pods are a gang with those of the template; 0 if they are no part of one. nullopt if
  /// it is not known.
  std::optional<std::int64_t> gang_size = {};
  /// Whether the object starts the pods of its templates in turn, one after the other.
  bool in_turn = false;

  bool is_pod() const { return IsKubernetes("Pod"); }
  /// Whether it is a Job of the group batch itself, not an object that creates Jobs.
  bool is_job() const { return IsKubernetes("Job"); }
  /// Whether it is of Kubernetes' own kind `own`, not of another group's kind with that name.
  bool IsKubernetes(std::string_view own) const { return kind == own && template_field.empty(); }

  friend bool operator==(const Workload&, const Workload&) = default;
};

/// The annotations of the object itself, not of its template.
const StringMap& ObjectAnnotations(const Workload& workload);

/// The reference to the owner that controls the object, or null. Points into `workload`.
const OwnerReference* ControllingOwner(const Workload& workload);

/// Whether the owner is a Job of the group batch. Other groups have kinds with that name.
bool IsJob(const OwnerReference& owner);

/// Whether `list` has more than zero of `resource`. Kubernetes treats zero as absent where it
/// matters (ComputePodQOS in k8s.io/kubernetes/pkg/apis/core/v1/helper/qos/qos.go).
bool IsSet(const ResourceList& list, std::string_view resource);

}  // namespace berth::model
