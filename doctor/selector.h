#pragma once

#include <vector>

#include "model/node.h"
#include "model/node_selector.h"

namespace berth::doctor {

/// A metav1.LabelSelector. An empty one selects everything. For example, the selector
/// `kubernetes.io/metadata.name NotIn [kube-system]` has one expression and no labels.
struct LabelSelector {
  /// matchLabels and matchExpressions; an object must meet all of them.
  model::StringMap labels;
  std::vector<model::NodeRequirement> expressions;

  friend bool operator==(const LabelSelector&, const LabelSelector&) = default;
};

/// Whether the selector selects an object with these labels, by the rules of Kubernetes.
bool Matches(const LabelSelector& selector, const model::StringMap& labels);

}  // namespace berth::doctor
