#include "kube/json_scored.h"

#include <string>
#include <utility>
#include <vector>

#include "kube/field_values.h"

namespace berth::kube {
namespace {

constexpr char kRequired[] = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr char kPreferred[] = "preferredDuringSchedulingIgnoredDuringExecution";

bool HasItems(const JsonValue& list) {
  bool any = false;
  list.ForEachItem([&any](const JsonValue&) { any = true; });
  return any;
}

std::vector<std::string> Strings(const JsonValue& list) {
  std::vector<std::string> strings;
  list.ForEachItem([&strings](const JsonValue& item) { strings.push_back(item.Text()); });
  return strings;
}

std::vector<model::LabelRequirement> SelectorFromJson(const JsonValue& selector) {
  std::vector<model::LabelRequirement> expressions;
  selector.Field("matchExpressions").ForEachItem([&expressions](const JsonValue& expression) {
    expressions.push_back({.key = expression.Field("key").Text(),
                           .op = expression.Field("operator").Text(),
                           .values = Strings(expression.Field("values"))});
  });
  return LabelRequirements(selector.Field("matchLabels").StringMap(), std::move(expressions));
}

void AddTerm(const JsonValue& term, model::Pod& pod) {
  const JsonValue labels = term.Field("labelSelector");
  // An empty selector selects every pod; a missing one selects none.
  if (labels.absent()) return;
  pod.affinity_terms.push_back(TermSelector(pod.namespace_, Strings(term.Field("namespaces")),
                                            !term.Field("namespaceSelector").absent(),
                                            SelectorFromJson(labels)));
}

void AddPreferredTerms(const JsonValue& affinity, model::Pod& pod) {
  affinity.Field(kPreferred).ForEachItem([&pod](const JsonValue& weighted) {
    AddTerm(weighted.Field("podAffinityTerm"), pod);
  });
}

void ReadAffinity(const JsonValue& affinity, model::Pod& pod) {
  const JsonValue near = affinity.Field("podAffinity");
  const JsonValue apart = affinity.Field("podAntiAffinity");
  const JsonValue nodes = affinity.Field("nodeAffinity");
  pod.scored.node_preferences = HasItems(nodes.Field(kPreferred));
  pod.scored.pod_affinity = !near.absent() || !apart.absent();
  near.Field(kRequired).ForEachItem([&pod](const JsonValue& term) { AddTerm(term, pod); });
  AddPreferredTerms(near, pod);
  AddPreferredTerms(apart, pod);
}

bool IsReplicated(const JsonValue& owners) {
  bool replicated = false;
  owners.ForEachItem([&replicated](const JsonValue& owner) {
    if (owner.Field("controller").Boolean() && IsSpreadByDefault(owner.Field("kind").String())) {
      replicated = true;
    }
  });
  return replicated;
}

}  // namespace

void ReadScored(const JsonValue& metadata, const JsonValue& spec, model::Pod& pod) {
  if (pod.node_name.empty()) pod.labels = metadata.Field("labels").StringMap();
  pod.scored.replicated = IsReplicated(metadata.Field("ownerReferences"));
  pod.scored.claims = HasItems(spec.Field("resourceClaims"));
  spec.Field("topologySpreadConstraints").ForEachItem([&pod](const JsonValue& constraint) {
    pod.scored.spread_constraints = true;
    const bool soft = IsSoftSpread(constraint.Field("whenUnsatisfiable").String());
    (soft ? pod.scored.soft_spread : pod.scored.hard_spread) = true;
  });
  const JsonValue affinity = spec.Field("affinity");
  if (!affinity.absent()) ReadAffinity(affinity, pod);
}

}  // namespace berth::kube
