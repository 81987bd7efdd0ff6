#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/node.h"
#include "model/quantity.h"

// What Berth reads of pods and of what makes pods, as somebody wrote it: not summed up as in Pod,
// because admission changes it. Names and shapes are those of k8s.io/api core/v1 and batch/v1
// (v0.36.3). Plain values.
namespace berth::model {

/// Quantities by resource name, as written.
using ResourceList = std::map<std::string, Quantity, std::less<>>;

/// A v1.ResourceRequirements. A request that is absent beside a limit has the limit's value: the
/// API server's defaulting writes it before admission (SetDefaults_Pod in
/// k8s.io/kubernetes/pkg/apis/core/v1/defaults.go).
struct ResourceRequirements {
  ResourceList requests;
  ResourceList limits;

  friend bool operator==(const ResourceRequirements&, const ResourceRequirements&) = default;
};

struct EnvVar {
  std::string name;
  /// Empty where it comes from somewhere else (valueFrom).
  std::string value;

  friend bool operator==(const EnvVar&, const EnvVar&) = default;
};

struct VolumeMount {
  std::string name;
  std::string mount_path;
  std::string sub_path;

  friend bool operator==(const VolumeMount&, const VolumeMount&) = default;
};

struct Container {
  /// Whether it stands in initContainers.
  bool init = false;
  /// Its place in that list, or in containers.
  std::size_t index = 0;
  /// Whether it is an init container that runs beside the others (restartPolicy Always).
  bool sidecar = false;
  std::string name;
  ResourceRequirements resources;
  std::vector<EnvVar> env;
  std::vector<VolumeMount> mounts;

  friend bool operator==(const Container&, const Container&) = default;
};

/// Where it stands below the pod's spec: "containers[0]", "initContainers[2]".
std::string FieldOf(const Container& container);

/// A v1.NodeSelectorRequirement.
struct NodeRequirement {
  std::string key;
  /// In, NotIn, Exists, DoesNotExist, Gt, Lt.
  std::string op;
  std::vector<std::string> values;

  friend bool operator==(const NodeRequirement&, const NodeRequirement&) = default;
};

/// A v1.NodeSelectorTerm: all of its requirements together. One without any matches no node.
struct NodeSelectorTerm {
  std::vector<NodeRequirement> expressions;
  /// Whether it has matchFields.
  bool has_fields = false;

  bool empty() const { return expressions.empty() && !has_fields; }

  friend bool operator==(const NodeSelectorTerm&, const NodeSelectorTerm&) = default;
};

struct Volume {
  std::string name;
  /// Name of the PersistentVolumeClaim; empty: another kind of volume.
  std::string claim;

  friend bool operator==(const Volume&, const Volume&) = default;
};

/// A pod's metadata and spec, or those of the template of pods.
struct PodTemplate {
  StringMap annotations;
  /// Those of initContainers first, as they start.
  std::vector<Container> containers;
  /// Of the pod as a whole; where there are, they alone decide the QoS class.
  std::optional<ResourceRequirements> resources;
  StringMap node_selector;
  /// requiredDuringSchedulingIgnoredDuringExecution of the node affinity: one term suffices.
  std::optional<std::vector<NodeSelectorTerm>> node_terms;
  std::vector<Volume> volumes;
  /// Whether spec.resourceClaims has any.
  bool has_claims = false;
  /// Always where absent.
  std::string restart_policy = "Always";
  /// 30 where absent.
  std::int64_t termination_grace_period = 30;
  std::string scheduler_name = "default-scheduler";
  std::string node_name;

  friend bool operator==(const PodTemplate&, const PodTemplate&) = default;
};

/// A batch/v1 PodFailurePolicyRule, of which all is kept that decides whether it retries.
struct FailureRule {
  /// Ignore, Count, FailJob, FailIndex.
  std::string action;
  /// In or NotIn; empty: the rule is about conditions.
  std::string exit_code_op;
  std::vector<std::int64_t> exit_codes;
  /// Whose exit code; empty: of any container.
  std::string container = {};
  /// Types of the pod conditions that it is about; with the status, where that is not True:
  /// "DisruptionTarget", "Ready=False".
  std::vector<std::string> conditions;
  /// Its place in the list as it was written; none: it was not there.
  std::optional<std::size_t> written_at;

  friend bool operator==(const FailureRule&, const FailureRule&) = default;
};

struct JobSpec {
  /// 6 where absent, as the API server has it.
  std::int64_t backoff_limit = 6;
  std::optional<std::int64_t> backoff_limit_per_index;
  /// None: there is no podFailurePolicy.
  std::optional<std::vector<FailureRule>> failure_rules;
  /// TerminatingOrFailed where absent.
  std::string pod_replacement_policy = "TerminatingOrFailed";
  /// Empty: Kubernetes' own Job controller.
  std::string managed_by;

  friend bool operator==(const JobSpec&, const JobSpec&) = default;
};

struct OwnerReference {
  std::string kind;
  std::string name;
  bool controller = false;
  /// Of its apiVersion: "batch"; empty: the core group.
  std::string group = {};

  friend bool operator==(const OwnerReference&, const OwnerReference&) = default;
};

/// A pod, a Job, or another object with a template of pods.
struct Workload {
  /// "Pod", "Job", "Deployment".
  std::string kind;
  std::string name;
  /// Where the API server is to make up the name.
  std::string generate_name;
  /// Of the object that is not a pod; a pod's are in `pod`.
  StringMap annotations;
  std::vector<OwnerReference> owners;
  /// Whether it is being deleted.
  bool deleted = false;
  PodTemplate pod;
  /// Where the template of the pods stands in an object of no kind of Kubernetes' own:
  /// "spec.pytorchReplicaSpecs.Worker.template". Else empty: the kind tells.
  std::string template_field;
  /// Of a Job, and of what makes Jobs.
  std::optional<JobSpec> job;

  bool is_pod() const { return IsKubernetes("Pod"); }
  /// Whether it stands for a Job of batch itself, and not for what makes Jobs.
  bool is_job() const { return IsKubernetes("Job"); }
  /// Whether it is of Kubernetes' own kind, and not of another group's kind of that name.
  bool IsKubernetes(std::string_view own) const { return kind == own && template_field.empty(); }

  friend bool operator==(const Workload&, const Workload&) = default;
};

/// The annotations of the object itself.
const StringMap& ObjectAnnotations(const Workload& workload);

/// The reference to the owner that controls it, or null.
const OwnerReference* ControllingOwner(const Workload& workload);

/// Whether it names a Job of batch; other groups have kinds of that name.
bool IsJob(const OwnerReference& owner);

/// Whether `list` has more than zero of it: Kubernetes takes zero for absent where it matters
/// (ComputePodQOS in k8s.io/kubernetes/pkg/apis/core/v1/helper/qos/qos.go).
bool IsSet(const ResourceList& list, std::string_view resource);

}  // namespace berth::model
