#pragma once

#include <optional>
#include <vector>

#include "model/node.h"
#include "model/workload.h"

namespace berth::doctor {

/// Whether an object of these labels is selected by one requirement. The rules are those of
/// Requirement.Matches in k8s.io/apimachinery/pkg/labels/selector.go (v0.36.3): NotIn and
/// DoesNotExist hold where the label is missing; Gt and Lt compare whole numbers.
bool Matches(const model::NodeRequirement& requirement, const model::StringMap& labels);

/// A metav1.LabelSelector; the empty one selects everything.
struct LabelSelector {
  model::StringMap labels;
  std::vector<model::NodeRequirement> expressions;

  friend bool operator==(const LabelSelector&, const LabelSelector&) = default;
};

bool Matches(const LabelSelector& selector, const model::StringMap& labels);

/// To which nodes a pod has to go by its own spec. Fields of terms (matchFields) are taken for met:
/// they name the node, which cannot change.
struct NodeNeeds {
  model::StringMap selector;
  std::optional<std::vector<model::NodeSelectorTerm>> terms;

  bool empty() const { return selector.empty() && !terms; }

  friend bool operator==(const NodeNeeds&, const NodeNeeds&) = default;
};

/// Whether a node of these labels meets them; GetRequiredNodeAffinity in
/// k8s.io/component-helpers/scheduling/corev1/nodeaffinity/nodeaffinity.go (v0.36.3).
bool Meets(const model::StringMap& node_labels, const NodeNeeds& needs);

}  // namespace berth::doctor
