#include "kube/protobuf_scored.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "kube/field_values.h"

namespace berth::kube {
namespace {

std::vector<model::LabelRequirement> SelectorFromProto(const pb::LabelSelector& selector) {
  std::vector<model::LabelRequirement> expressions;
  for (const pb::LabelSelectorRequirement& expression : selector.match_expressions()) {
    expressions.push_back({.key = expression.key(),
                           .op = expression.operator_(),
                           .values = {expression.values().begin(), expression.values().end()}});
  }
  return LabelRequirements(StringMapFromProto(selector.match_labels()), std::move(expressions));
}

void AddTerm(const pb::PodAffinityTerm& term, model::Pod& pod) {
  // An empty selector selects every pod; a missing one selects none.
  if (!term.has_label_selector()) return;
  pod.affinity_terms.push_back(
      TermSelector(pod.namespace_, {term.namespaces().begin(), term.namespaces().end()},
                   term.has_namespace_selector(), SelectorFromProto(term.label_selector())));
}

void AddPreferredTerms(const pb::PodAffinity& affinity, model::Pod& pod) {
  for (const auto& weighted : affinity.preferred_during_scheduling_ignored_during_execution()) {
    AddTerm(weighted.pod_affinity_term(), pod);
  }
}

void ReadAffinity(const pb::Affinity& affinity, model::Pod& pod) {
  const pb::PodAffinity& near = affinity.pod_affinity();
  pod.scored.node_preferences =
      affinity.node_affinity().preferred_during_scheduling_ignored_during_execution_size() > 0;
  pod.scored.pod_affinity = affinity.has_pod_affinity() || affinity.has_pod_anti_affinity();
  for (const auto& term : near.required_during_scheduling_ignored_during_execution()) {
    AddTerm(term, pod);
  }
  AddPreferredTerms(near, pod);
  AddPreferredTerms(affinity.pod_anti_affinity(), pod);
}

bool IsReplicated(const pb::ObjectMeta& metadata) {
  const auto& owners = metadata.owner_references();
  return std::any_of(owners.begin(), owners.end(), [](const pb::OwnerReference& owner) {
    return owner.controller() && IsSpreadByDefault(owner.kind());
  });
}

}  // namespace

model::StringMap StringMapFromProto(const google::protobuf::Map<std::string, std::string>& map) {
  model::StringMap entries;
  entries.reserve(map.size());
  for (const auto& [name, value] : map) entries.emplace_back(name, value);
  model::Normalize(entries);
  return entries;
}

void ReadScored(const pb::Pod& message, model::Pod& pod) {
  const pb::PodSpec& spec = message.spec();
  if (pod.node_name.empty()) pod.labels = StringMapFromProto(message.metadata().labels());
  pod.scored.replicated = IsReplicated(message.metadata());
  pod.scored.claims = spec.resource_claims_size() > 0;
  for (const pb::TopologySpreadConstraint& constraint : spec.topology_spread_constraints()) {
    const bool soft = IsSoftSpread(constraint.when_unsatisfiable());
    pod.scored.spread_constraints = true;
    (soft ? pod.scored.soft_spread : pod.scored.hard_spread) = true;
  }
  if (spec.has_affinity()) ReadAffinity(spec.affinity(), pod);
}

}  // namespace berth::kube
