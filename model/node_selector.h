#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/node.h"

// Which nodes a pod may run on by its own spec. The rules are those of
// k8s.io/component-helpers/scheduling/corev1/nodeaffinity/nodeaffinity.go and
// k8s.io/apimachinery/pkg/labels/selector.go (v0.36.3). All types are plain values, and all
// functions are thread-safe.

namespace berth::model {

/// A v1.NodeSelectorRequirement.
struct NodeRequirement {
  /// The name of a label, or of a field of the node.
  std::string key;
  /// In, NotIn, Exists, DoesNotExist, Gt, Lt; unchecked.
  std::string op;
  /// Empty for Exists and DoesNotExist, one number for Gt and Lt.
  std::vector<std::string> values;

  friend bool operator==(const NodeRequirement&, const NodeRequirement&) = default;
};

/// Whether an object with these labels meets the requirement: NotIn and DoesNotExist are met if the
/// label is missing, and Gt and Lt compare integers. What Kubernetes rejects, such as Gt without a
/// number or an unknown operator, is never met.
bool Matches(const NodeRequirement& requirement, const StringMap& labels);

/// A v1.NodeSelectorTerm. A node must meet all of its requirements. A term without any matches no
/// node.
struct NodeSelectorTerm {
  /// matchExpressions, about labels.
  std::vector<NodeRequirement> expressions;
  /// matchFields. The only field is metadata.name.
  std::vector<NodeRequirement> fields = {};

  bool empty() const { return expressions.empty() && fields.empty(); }

  friend bool operator==(const NodeSelectorTerm&, const NodeSelectorTerm&) = default;
};

/// The node selector of a pod and the terms of its required node affinity.
struct NodeNeeds {
  /// spec.nodeSelector: labels that a node must have.
  StringMap selector;
  /// requiredDuringSchedulingIgnoredDuringExecution. A node has to meet one of the terms. nullopt
  /// if the field is absent.
  std::optional<std::vector<NodeSelectorTerm>> terms;

  bool empty() const { return selector.empty() && !terms; }

  friend bool operator==(const NodeNeeds&, const NodeNeeds&) = default;
};

/// Whether a node with these labels and that name meets the needs (GetRequiredNodeAffinity in
/// nodeaffinity.go).
bool Meets(const NodeNeeds& needs, const StringMap& labels, std::string_view name);

}  // namespace berth::model
