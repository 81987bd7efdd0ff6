#include "policies/admission/draft.h"

#include <algorithm>
#include <utility>

namespace berth::policies::admission {

using model::StringMap;

namespace {

auto PlaceOf(StringMap& map, std::string_view name) {
  return std::lower_bound(
      map.begin(), map.end(), name,
      [](const auto& entry, std::string_view key) { return entry.first < key; });
}

}  // namespace

Draft::Draft(model::Workload workload) : original_(workload), workload_(std::move(workload)) {}

template <typename T>
void Draft::Write(T& field, T value) {
  if (field == value) return;
  field = std::move(value);
  ++writes_;
}

// Compares amounts and not texts: "1Gi" does not replace "1024Mi".
void Draft::Write(model::ResourceList& list, std::string_view resource, model::Quantity quantity) {
  const auto found = list.find(resource);
  if (found != list.end() && found->second == quantity) return;
  list.insert_or_assign(std::string(resource), std::move(quantity));
  ++writes_;
}

StringMap& Draft::Annotations(Metadata where) {
  const bool pods = where == Metadata::kPods || workload_.is_pod();
  return pods ? workload_.pod.annotations : workload_.annotations;
}

void Draft::SetAnnotation(Metadata where, std::string_view name, std::string value) {
  StringMap& annotations = Annotations(where);
  const auto place = PlaceOf(annotations, name);
  if (place != annotations.end() && place->first == name) {
    Write(place->second, std::move(value));
    return;
  }
  annotations.emplace(place, std::string(name), std::move(value));
  ++writes_;
}

void Draft::RemoveAnnotation(Metadata where, std::string_view name) {
  StringMap& annotations = Annotations(where);
  const auto place = PlaceOf(annotations, name);
  if (place == annotations.end() || place->first != name) return;
  annotations.erase(place);
  ++writes_;
}

void Draft::SetRequest(std::size_t container, std::string_view resource, model::Quantity quantity) {
  Write(workload_.pod.containers[container].resources.requests, resource, std::move(quantity));
}

void Draft::SetLimit(std::size_t container, std::string_view resource, model::Quantity quantity) {
  Write(workload_.pod.containers[container].resources.limits, resource, std::move(quantity));
}

void Draft::SetPodRequest(std::string_view resource, model::Quantity quantity) {
  if (!workload_.pod.resources) return;
  Write(workload_.pod.resources->requests, resource, std::move(quantity));
}

void Draft::SetPodLimit(std::string_view resource, model::Quantity quantity) {
  if (!workload_.pod.resources) return;
  Write(workload_.pod.resources->limits, resource, std::move(quantity));
}

bool Draft::RequireOfNodes(const model::NodeRequirement& requirement) {
  auto& terms = workload_.pod.node_terms;
  if (!terms) {
    terms = {model::NodeSelectorTerm{.expressions = {requirement}}};
    ++writes_;
    return true;
  }
  bool any = false;
  for (model::NodeSelectorTerm& term : *terms) {
    // An empty term matches no node. With a requirement it would start to match some.
    if (term.empty()) continue;
    any = true;
    if (std::ranges::find(term.expressions, requirement) != term.expressions.end()) continue;
    term.expressions.push_back(requirement);
    ++writes_;
  }
  return any;
}

void Draft::AddVolume(model::Volume volume) {
  workload_.pod.volumes.push_back(std::move(volume));
  ++writes_;
}

void Draft::AddMount(std::size_t container, model::VolumeMount mount) {
  workload_.pod.containers[container].mounts.push_back(std::move(mount));
  ++writes_;
}

void Draft::AddEnv(std::size_t container, model::EnvVar env) {
  workload_.pod.containers[container].env.push_back(std::move(env));
  ++writes_;
}

void Draft::SetTerminationGracePeriod(std::int64_t seconds) {
  Write(workload_.pod.termination_grace_period, seconds);
}

void Draft::SetRestartPolicy(std::string policy) {
  Write(workload_.pod.restart_policy, std::move(policy));
}

void Draft::SetContainerRestartPolicy(std::size_t container, std::string policy) {
  Write(workload_.pod.containers[container].restart_policy, std::move(policy));
}

void Draft::RemoveRestartRules(std::size_t container) {
  Write(workload_.pod.containers[container].restart_actions, {});
}

void Draft::SetResizeRestart(std::size_t container, std::size_t entry, std::string policy) {
  Write(workload_.pod.containers[container].resize_restarts[entry], std::move(policy));
}

void Draft::SetSchedulerName(std::string name) {
  Write(workload_.pod.scheduler_name, std::move(name));
}

void Draft::AddSchedulingGate(std::string name) {
  std::vector<std::string>& gates = workload_.pod.gates;
  if (std::ranges::find(gates, name) != gates.end()) return;
  gates.push_back(std::move(name));
  ++writes_;
}

void Draft::SetSchedulingGroup(std::string pod_group) {
  Write(workload_.pod.scheduling_group, std::move(pod_group));
}

void Draft::RemoveQosClass() { Write(workload_.qos_class, std::string()); }

void Draft::SetBackoffLimit(std::int64_t limit) {
  if (workload_.job) Write(workload_.job->backoff_limit, limit);
}

void Draft::SetBackoffLimitPerIndex(std::int64_t limit) {
  if (workload_.job) Write(workload_.job->backoff_limit_per_index, std::optional(limit));
}

void Draft::SetPodReplacementPolicy(std::string policy) {
  if (workload_.job) Write(workload_.job->pod_replacement_policy, std::move(policy));
}

void Draft::PrependFailureRule(model::FailureRule rule) {
  InsertFailureRule(true, std::move(rule));
}

void Draft::AppendFailureRule(model::FailureRule rule) {
  InsertFailureRule(false, std::move(rule));
}

void Draft::InsertFailureRule(bool front, model::FailureRule rule) {
  if (!workload_.job) return;
  auto& rules = workload_.job->failure_rules;
  if (!rules) rules.emplace();
  rule.written_at.reset();
  rules->insert(front ? rules->begin() : rules->end(), std::move(rule));
  ++writes_;
}

void Draft::SetFailureRuleAction(std::size_t rule, std::string action) {
  if (!workload_.job || !workload_.job->failure_rules) return;
  Write((*workload_.job->failure_rules)[rule].action, std::move(action));
}

}  // namespace berth::policies::admission
