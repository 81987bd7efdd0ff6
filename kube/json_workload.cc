#include "kube/json_workload.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kube/field_values.h"
#include "kube/json_needs.h"
#include "kube/json_sizes.h"
#include "kube/json_value.h"

namespace berth::kube {
namespace {

std::string TextOr(const JsonValue& value, std::string otherwise) {
  return value.absent() ? std::move(otherwise) : value.Text();
}

std::int64_t IntegerOr(const JsonValue& value, std::int64_t otherwise) {
  return value.absent() ? otherwise : value.Integer();
}

template <typename T, typename Read>
std::vector<T> List(const JsonValue& list, Read read) {
  std::vector<T> result;
  list.ForEachItem([&](const JsonValue& item) { result.push_back(read(item)); });
  return result;
}

model::ResourceList ResourcesFromJson(const JsonValue& list) {
  model::ResourceList result;
  list.ForEachMember([&](std::string_view name, const JsonValue& quantity) {
    result.insert_or_assign(std::string(name), quantity.Quantity());
  });
  return result;
}

model::ResourceRequirements WorkloadRequirementsFromJson(const JsonValue& resources) {
  return {.requests = ResourcesFromJson(resources.Field("requests")),
          .limits = ResourcesFromJson(resources.Field("limits"))};
}

model::EnvVar EnvFromJson(const JsonValue& env) {
  return {.name = env.Field("name").Text(), .value = env.Field("value").Text()};
}

model::VolumeMount MountFromJson(const JsonValue& mount) {
  return {.name = mount.Field("name").Text(),
          .mount_path = mount.Field("mountPath").Text(),
          .sub_path = mount.Field("subPath").Text()};
}

// The names of templates or ResourceClaims, by the names that the pod has for its claims. Each
// container may have a copy for each claim, so names that are too long are left empty:
// kube-apiserver will refuse them (ValidateResourceClaimName in
// pkg/apis/core/validation/validation.go, v1.36.3), but asks webhooks before.
using ClaimNames = std::map<std::string, std::string, std::less<>>;

ClaimNames ClaimNamesFromJson(const JsonValue& claims) {
  ClaimNames names;
  claims.ForEachItem([&](const JsonValue& claim) {
    const std::string own = claim.Field("resourceClaimName").Text();
    std::string name = TextOr(claim.Field("resourceClaimTemplateName"), own);
    if (name.size() > kMostNameBytes) name.clear();
    names.emplace(claim.Field("name").Text(), std::move(name));
  });
  return names;
}

std::vector<std::string> UsedClaims(const JsonValue& claims, const ClaimNames& names) {
  return List<std::string>(claims, [&names](const JsonValue& claim) {
    const auto found = names.find(claim.Field("name").Text());
    return found == names.end() ? std::string() : found->second;
  });
}

// The texts of one field of every item, a null's included.
std::vector<std::string> TextsFromJson(const JsonValue& list, std::string_view field) {
  std::vector<std::string> texts;
  list.ForEachPlace([&](std::size_t, const JsonValue& item) {
    texts.push_back(item.absent() ? "" : item.Field(field).Text());
  });
  return texts;
}

model::Container ContainerFromJson(const JsonValue& container, bool init, std::size_t index,
                                   const ClaimNames& claims) {
  return {.init = init,
          .index = index,
          .sidecar = init && container.Field("restartPolicy").String() == "Always",
          .name = container.Field("name").Text(),
          .resources = WorkloadRequirementsFromJson(container.Field("resources")),
          .env = List<model::EnvVar>(container.Field("env"), EnvFromJson),
          .mounts = List<model::VolumeMount>(container.Field("volumeMounts"), MountFromJson),
          .claims = UsedClaims(container.Field("resources").Field("claims"), claims),
          .restart_policy = container.Field("restartPolicy").Text(),
          .restart_actions = TextsFromJson(container.Field("restartPolicyRules"), "action"),
          .resize_restarts = TextsFromJson(container.Field("resizePolicy"), "restartPolicy")};
}

void AddContainers(const JsonValue& list, bool init, const ClaimNames& claims,
                   std::vector<model::Container>& containers) {
  list.ForEachPlace([&](std::size_t index, const JsonValue& container) {
    if (container.absent()) return;
    containers.push_back(ContainerFromJson(container, init, index, claims));
  });
}

model::Volume VolumeFromJson(const JsonValue& volume) {
  const JsonValue claim = volume.Field("persistentVolumeClaim");
  return {.name = volume.Field("name").Text(), .claim = claim.Field("claimName").Text()};
}

// Reads a pod or a template; both have metadata and spec.
model::PodTemplate PodTemplateFromJson(const JsonValue& pod) {
  const JsonValue metadata = pod.Field("metadata");
  const JsonValue spec = pod.Field("spec");
  model::PodTemplate result;
  result.annotations = metadata.Field("annotations").StringMap();
  result.labels = metadata.Field("labels").StringMap();
  const ClaimNames claims = ClaimNamesFromJson(spec.Field("resourceClaims"));
  AddContainers(spec.Field("initContainers"), true, claims, result.containers);
  AddContainers(spec.Field("containers"), false, claims, result.containers);
  const JsonValue resources = spec.Field("resources");
  if (!resources.absent()) result.resources = WorkloadRequirementsFromJson(resources);
  result.node_selector = spec.Field("nodeSelector").StringMap();
  result.node_terms = NodeTermsFromJson(spec);
  result.volumes = List<model::Volume>(spec.Field("volumes"), VolumeFromJson);
  spec.Field("resourceClaims").ForEachItem([&](const JsonValue&) { result.has_claims = true; });
  result.restart_policy = TextOr(spec.Field("restartPolicy"), result.restart_policy);
  result.termination_grace_period =
      IntegerOr(spec.Field("terminationGracePeriodSeconds"), result.termination_grace_period);
  result.scheduler_name = TextOr(spec.Field("schedulerName"), result.scheduler_name);
  result.node_name = spec.Field("nodeName").Text();
  result.gates = List<std::string>(spec.Field("schedulingGates"),
                                   [](const JsonValue& gate) { return gate.Field("name").Text(); });
  result.scheduling_group = spec.Field("schedulingGroup").Field("podGroupName").Text();
  return result;
}

std::vector<std::string> ConditionsFromJson(const JsonValue& patterns) {
  std::vector<std::string> types;
  patterns.ForEachItem([&](const JsonValue& pattern) {
    const JsonValue status = pattern.Field("status");
    // True if absent: SetDefaults_PodFailurePolicyOnPodConditionsPattern in
    // k8s.io/kubernetes/pkg/apis/batch/v1/defaults.go.
    const std::string suffix = TextOr(status, "True") == "True" ? "" : "=" + status.Text();
    types.push_back(pattern.Field("type").Text() + suffix);
  });
  return types;
}

model::FailureRule RuleFromJson(const JsonValue& rule, std::size_t index) {
  const JsonValue exit_codes = rule.Field("onExitCodes");
  return {.action = rule.Field("action").Text(),
          .exit_code_op = exit_codes.Field("operator").Text(),
          .exit_codes = List<std::int64_t>(exit_codes.Field("values"),
                                           [](const JsonValue& code) { return code.Integer(); }),
          .container = exit_codes.Field("containerName").Text(),
          .conditions = ConditionsFromJson(rule.Field("onPodConditions")),
          .written_at = index};
}

std::vector<model::FailureRule> RulesFromJson(const JsonValue& rules) {
  std::vector<model::FailureRule> result;
  rules.ForEachPlace([&](std::size_t index, const JsonValue& rule) {
    if (!rule.absent()) result.push_back(RuleFromJson(rule, index));
  });
  return result;
}

model::JobSpec JobSpecFromJson(const JsonValue& spec) {
  model::JobSpec job;
  job.backoff_limit = IntegerOr(spec.Field("backoffLimit"), job.backoff_limit);
  const JsonValue per_index = spec.Field("backoffLimitPerIndex");
  if (!per_index.absent()) job.backoff_limit_per_index = per_index.Integer();
  const JsonValue failure_policy = spec.Field("podFailurePolicy");
  if (!failure_policy.absent()) job.failure_rules = RulesFromJson(failure_policy.Field("rules"));
  job.pod_replacement_policy =
      TextOr(spec.Field("podReplacementPolicy"), job.pod_replacement_policy);
  job.managed_by = spec.Field("managedBy").Text();
  job.parallelism = IntegerOr(spec.Field("parallelism"), job.parallelism);
  const JsonValue completions = spec.Field("completions");
  if (!completions.absent()) job.completions = completions.Integer();
  job.has_success_policy = !spec.Field("successPolicy").absent();
  job.indexed = spec.Field("completionMode").String() == "Indexed";
  return job;
}

// Returns "batch" for "batch/v1", and "" for "v1".
std::string GroupOf(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return std::string(api_version.substr(0, slash == std::string_view::npos ? 0 : slash));
}

model::OwnerReference OwnerFromJson(const JsonValue& owner) {
  return {.kind = owner.Field("kind").Text(),
          .name = owner.Field("name").Text(),
          .controller = owner.Field("controller").Boolean(),
          .group = GroupOf(owner.Field("apiVersion").String()),
          .uid = owner.Field("uid").Text()};
}

// Reads everything except the pods. A pod's annotations and labels are a part of it.
model::Workload ObjectFromJson(const JsonValue& object, std::string_view kind, bool is_pod) {
  const JsonValue metadata = object.Field("metadata");
  model::Workload result;
  result.kind = kind;
  result.name = metadata.Field("name").Text();
  result.generate_name = metadata.Field("generateName").Text();
  if (!is_pod) {
    result.annotations = metadata.Field("annotations").StringMap();
    result.labels = metadata.Field("labels").StringMap();
  }
  result.owners = List<model::OwnerReference>(metadata.Field("ownerReferences"), OwnerFromJson);
  result.deleted = !metadata.Field("deletionTimestamp").absent();
  return result;
}

// Kueue suspends Jobs that have its label when they are created. Its webhook may come later.
bool IsQueued(const JsonValue& metadata, const JsonValue& spec) {
  return spec.Field("suspend").Boolean() ||
         !metadata.Field("labels").Field("kueue.x-k8s.io/queue-name").absent();
}

void ReadPods(const JsonValue& object, model::Workload& workload) {
  if (workload.is_pod()) {
    workload.pod = PodTemplateFromJson(object);
    const JsonValue status = object.Field("status");
    workload.qos_class = status.Field("qosClass").Text();
    return;
  }
  const JsonValue spec = object.Field("spec");
  const JsonValue job_template = spec.Field("jobTemplate");
  const JsonValue job_spec = job_template.Field("spec");
  const bool makes_jobs = workload.kind == "CronJob";
  const JsonValue& owner_of_pods = makes_jobs ? job_spec : spec;
  workload.pod = PodTemplateFromJson(owner_of_pods.Field("template"));
  if (!makes_jobs && !workload.is_job()) return;
  workload.job = JobSpecFromJson(owner_of_pods);
  workload.job->queued =
      IsQueued((makes_jobs ? job_template : object).Field("metadata"), owner_of_pods);
}

}  // namespace

absl::StatusOr<model::Workload> WorkloadFromJson(simdjson::dom::element object,
                                                 std::string_view kind, std::string_view path) {
  absl::Status error = CheckSizes(object, path);
  if (!error.ok()) return error;
  const JsonValue value(object, Path(path), error);
  model::Workload result = ObjectFromJson(value, kind, kind == "Pod");
  ReadPods(value, result);
  if (!error.ok()) return error;
  return result;
}

absl::StatusOr<model::Workload> TemplateOwnerFromJson(simdjson::dom::element object,
                                                      std::string_view kind) {
  absl::Status error;
  const JsonValue value(object, Path(""), error);
  const auto metadata = value.Field("metadata").element();
  if (metadata) error.Update(CheckSizes(*metadata, "metadata"));
  if (!error.ok()) return error;
  model::Workload result = ObjectFromJson(value, kind, false);
  if (!error.ok()) return error;
  return result;
}

absl::StatusOr<model::Workload> WithPodsFromJson(model::Workload owner, simdjson::dom::element pods,
                                                 std::string template_field) {
  absl::Status error = CheckSizes(pods, template_field);
  if (!error.ok()) return error;
  owner.template_field = std::move(template_field);
  owner.pod = PodTemplateFromJson(JsonValue(pods, Path(owner.template_field), error));
  if (!error.ok()) return error;
  return owner;
}

absl::StatusOr<model::Workload> WithJobsFromJson(model::Workload owner, simdjson::dom::element jobs,
                                                 std::string template_field) {
  absl::Status error = CheckSizes(jobs, template_field);
  if (!error.ok()) return error;
  owner.template_field = std::move(template_field);
  constexpr std::string_view kPods = ".spec.template";
  const std::string_view field = owner.template_field;
  const JsonValue job(jobs, Path(field.substr(0, field.size() - kPods.size())), error);
  const JsonValue spec = job.Field("spec");
  owner.pod = PodTemplateFromJson(spec.Field("template"));
  owner.job = JobSpecFromJson(spec);
  owner.job->queued = IsQueued(job.Field("metadata"), spec);
  if (!error.ok()) return error;
  return owner;
}

}  // namespace berth::kube
