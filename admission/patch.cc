#include "admission/patch.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "admission/edit.h"

namespace berth::admission {

namespace {

template <typename T>
void Change(const T& before, const T& after, std::string_view key, Edit& parent) {
  if (!(before == after)) parent.Member(key).Set(after);
}

void ChangeAnnotations(const model::StringMap& before, const model::StringMap& after, Edit& pod) {
  Edit& annotations = pod.Member("metadata").Member("annotations");
  for (const auto& [key, value] : after) {
    const auto old = model::Find(before, key);
    if (!old || *old != value) annotations.Member(key).Set(value);
  }
  for (const auto& [key, value] : before) {
    if (!model::Find(after, key)) annotations.Member(key).Remove();
  }
}

void ChangeResources(const model::ResourceList& before, const model::ResourceList& after,
                     Edit& list) {
  for (const auto& [name, quantity] : after) {
    const auto old = before.find(name);
    if (old == before.end() || !(old->second == quantity)) list.Member(name).Set(quantity.text());
  }
}

void ChangeRequirements(const model::ResourceRequirements& before,
                        const model::ResourceRequirements& after, Edit& resources) {
  ChangeResources(before.requests, after.requests, resources.Member("requests"));
  ChangeResources(before.limits, after.limits, resources.Member("limits"));
}

Json ToJson(const model::EnvVar& env) { return {{"name", env.name}, {"value", env.value}}; }

Json ToJson(const model::VolumeMount& mount) {
  Json json = {{"name", mount.name}, {"mountPath", mount.mount_path}};
  if (!mount.sub_path.empty()) json["subPath"] = mount.sub_path;
  return json;
}

Json ToJson(const model::Volume& volume) {
  return {{"name", volume.name}, {"persistentVolumeClaim", {{"claimName", volume.claim}}}};
}

Json ToJson(const model::NodeRequirement& requirement) {
  Json json = {{"key", requirement.key}, {"operator", requirement.op}};
  if (!requirement.values.empty()) json["values"] = requirement.values;
  return json;
}

Json ToJson(const model::NodeSelectorTerm& term) {
  Json expressions = Json::array();
  for (const auto& expression : term.expressions) expressions.push_back(ToJson(expression));
  return {{"matchExpressions", std::move(expressions)}};
}

Json ToJson(const model::FailureRule& rule) {
  Json json = {{"action", rule.action}};
  if (!rule.exit_code_op.empty()) {
    json["onExitCodes"] = {{"operator", rule.exit_code_op}, {"values", rule.exit_codes}};
  }
  for (const std::string& type : rule.conditions) {
    json["onPodConditions"].push_back({{"type", type}, {"status", "True"}});
  }
  return json;
}

// Lists that only grow.
template <typename T>
void AppendNew(const std::vector<T>& before, const std::vector<T>& after, std::string_view key,
               Edit& parent) {
  for (std::size_t i = before.size(); i < after.size(); ++i) {
    parent.Member(key).Append(ToJson(after[i]));
  }
}

// Rules are only ever removed, all at once.
void ChangeRestarts(const model::Container& before, const model::Container& after,
                    Edit& container) {
  Change(before.restart_policy, after.restart_policy, "restartPolicy", container);
  if (before.restart_actions != after.restart_actions) {
    container.Member("restartPolicyRules").Remove();
  }
  for (std::size_t i = 0; i < after.resize_restarts.size(); ++i) {
    Edit& entry = container.Member("resizePolicy").Element(i);
    Change(before.resize_restarts[i], after.resize_restarts[i], "restartPolicy", entry);
  }
}

void ChangeContainers(const model::PodTemplate& before, const model::PodTemplate& after,
                      Edit& spec) {
  for (std::size_t i = 0; i < after.containers.size(); ++i) {
    const model::Container& old = before.containers[i];
    const model::Container& now = after.containers[i];
    if (now == old) continue;
    Edit& container = spec.Member(now.init ? "initContainers" : "containers").Element(now.index);
    ChangeRequirements(old.resources, now.resources, container.Member("resources"));
    AppendNew(old.env, now.env, "env", container);
    AppendNew(old.mounts, now.mounts, "volumeMounts", container);
    ChangeRestarts(old, now, container);
  }
}

void ChangeNodeTerms(const model::PodTemplate& before, const model::PodTemplate& after,
                     Edit& spec) {
  if (!after.node_terms) return;
  Edit& terms = spec.Member("affinity")
                    .Member("nodeAffinity")
                    .Member("requiredDuringSchedulingIgnoredDuringExecution")
                    .Member("nodeSelectorTerms");
  const std::size_t written = before.node_terms ? before.node_terms->size() : 0;
  for (std::size_t i = 0; i < after.node_terms->size(); ++i) {
    const model::NodeSelectorTerm& term = (*after.node_terms)[i];
    if (i >= written) {
      terms.Append(ToJson(term));
    } else {
      AppendNew((*before.node_terms)[i].expressions, term.expressions, "matchExpressions",
                terms.Element(i));
    }
  }
}

void ChangePods(const model::PodTemplate& before, const model::PodTemplate& after, Edit& pod) {
  ChangeAnnotations(before.annotations, after.annotations, pod);
  Edit& spec = pod.Member("spec");
  ChangeContainers(before, after, spec);
  if (before.resources && after.resources) {
    ChangeRequirements(*before.resources, *after.resources, spec.Member("resources"));
  }
  ChangeNodeTerms(before, after, spec);
  AppendNew(before.volumes, after.volumes, "volumes", spec);
  Change(before.termination_grace_period, after.termination_grace_period,
         "terminationGracePeriodSeconds", spec);
  Change(before.restart_policy, after.restart_policy, "restartPolicy", spec);
  Change(before.scheduler_name, after.scheduler_name, "schedulerName", spec);
  for (std::size_t i = before.gates.size(); i < after.gates.size(); ++i) {
    spec.Member("schedulingGates").Append({{"name", after.gates[i]}});
  }
  Change(before.scheduling_group, after.scheduling_group, "podGroupName",
         spec.Member("schedulingGroup"));
}

const std::string* WrittenAction(const model::JobSpec& before, std::size_t written_at) {
  if (!before.failure_rules) return nullptr;
  const auto written = std::ranges::find(*before.failure_rules, std::optional(written_at),
                                         &model::FailureRule::written_at);
  return written == before.failure_rules->end() ? nullptr : &written->action;
}

// New rules come before all rules that were written, or after all of them.
void ChangeFailureRules(const model::JobSpec& before, const model::JobSpec& after, Edit& spec) {
  if (!after.failure_rules) return;
  Edit& rules = spec.Member("podFailurePolicy").Member("rules");
  const auto is_written = [](const model::FailureRule& rule) {
    return rule.written_at.has_value();
  };
  bool behind = std::ranges::none_of(*after.failure_rules, is_written);
  for (const model::FailureRule& rule : *after.failure_rules) {
    if (!rule.written_at) {
      behind ? rules.Append(ToJson(rule)) : rules.Prepend(ToJson(rule));
      continue;
    }
    behind = true;
    const std::string* action = WrittenAction(before, *rule.written_at);
    if (action != nullptr) Change(*action, rule.action, "action", rules.Element(*rule.written_at));
  }
}

void ChangeJob(const model::JobSpec& before, const model::JobSpec& after, Edit& spec) {
  Change(before.backoff_limit, after.backoff_limit, "backoffLimit", spec);
  if (after.backoff_limit_per_index != before.backoff_limit_per_index) {
    spec.Member("backoffLimitPerIndex").Set(*after.backoff_limit_per_index);
  }
  Change(before.pod_replacement_policy, after.pod_replacement_policy, "podReplacementPolicy", spec);
  ChangeFailureRules(before, after, spec);
}

std::string TextOf(const Json& patch) {
  return patch.empty() ? "" : patch.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string JsonPatch(simdjson::dom::element object, const model::Workload& before,
                      const model::Workload& after) {
  if (before == after) return "";
  Edit edit;
  if (after.is_pod()) {
    ChangePods(before.pod, after.pod, edit);
    if (after.qos_class != before.qos_class) edit.Member("status").Member("qosClass").Remove();
  } else {
    ChangeAnnotations(before.annotations, after.annotations, edit);
    Edit& spec = edit.Member("spec");
    ChangePods(before.pod, after.pod, spec.Member("template"));
    if (before.job && after.job) ChangeJob(*before.job, *after.job, spec);
  }
  return TextOf(PatchOf(edit, object));
}

std::string TemplatesPatch(const std::vector<FoundTemplate>& templates,
                           const std::vector<model::StringMap>& before,
                           const std::vector<model::Workload>& after) {
  Json patch = Json::array();
  for (std::size_t i = 0; i < templates.size(); ++i) {
    Edit edit;
    ChangeAnnotations(before[i], after[i].pod.annotations, edit);
    for (Json& operation : PatchOf(edit, templates[i].pods)) {
      operation["path"] = templates[i].pointer + operation["path"].get<std::string>();
      patch.push_back(std::move(operation));
    }
  }
  return TextOf(patch);
}

}  // namespace berth::admission
