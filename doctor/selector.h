#pragma once

#include <optional>
#include <vector>

#include "model/node.h"
#include "model/workload.h"

// Label selectors, by the rules of Kubernetes, for checks that ask which objects a selector
// selects.

namespace berth::doctor {

/// Whether an object with these labels meets one requirement of a selector. The rules are those of
/// Requirement.Matches in k8s.io/apimachinery/pkg/labels/selector.go (v0.36.3): NotIn and
/// DoesNotExist hold if the label is missing; Gt and Lt compare integers.
bool Matches(const model::NodeRequirement& requirement, const model::StringMap& labels);

/// A metav1.LabelSelector. An empty one selects everything. For example, the selector
/// `kubernetes.io/metadata.name NotIn [kube-system]` has one expression and no labels.
struct LabelSelector {
  /// matchLabels and matchExpressions; an object must meet all of them.
  model::StringMap labels;
  std::vector<model::NodeRequirement> expressions;

  friend bool operator==(const LabelSelector&, const LabelSelector&) = default;
};

/// Whether the selector selects an object with these labels.
bool Matches(const LabelSelector& selector, const model::StringMap& labels);

/// The nodes on which a pod may run by its own spec: its node selector, and the terms of its
/// required node affinity. Fields of terms (matchFields) count as met: they select nodes by name,
/// which cannot change.
struct NodeNeeds {
  /// spec.nodeSelector: labels that a node must have.
  model::StringMap selector;
  /// A node has to meet one of them; an empty term matches no node.
  std::optional<std::vector<model::NodeSelectorTerm>> terms;

  bool empty() const { return selector.empty() && !terms; }

  friend bool operator==(const NodeNeeds&, const NodeNeeds&) = default;
};

/// Whether a node with these labels meets the needs (GetRequiredNodeAffinity in
/// k8s.io/component-helpers/scheduling/corev1/nodeaffinity/nodeaffinity.go, v0.36.3).
bool Meets(const model::StringMap& node_labels, const NodeNeeds& needs);

}  // namespace berth::doctor
