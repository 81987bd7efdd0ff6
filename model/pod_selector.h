#pragma once

#include <compare>
#include <span>
#include <string>
#include <vector>

#include "model/node.h"

namespace berth::model {

/// A metav1.LabelSelectorRequirement. A plain value.
struct LabelRequirement {
  /// The name of the label.
  std::string key;
  /// In, NotIn, Exists or DoesNotExist.
  std::string op;
  /// The values for In and NotIn.
  std::vector<std::string> values;

  friend auto operator<=>(const LabelRequirement&, const LabelRequirement&) = default;
};

/// The pods that a v1.PodAffinityTerm is about, as far as that decides whether it could select a
/// pod. Two selectors that mean the same compare equal, so that equal ones can be stored once. A
/// plain value.
struct PodSelector {
  /// Ascending, each once. Empty for all namespaces.
  std::vector<std::string> namespaces;
  /// A pod must meet all of them, so an empty list selects every pod. Ascending.
  std::vector<LabelRequirement> labels;

  friend auto operator<=>(const PodSelector&, const PodSelector&) = default;
};

/// Whether a pod with `labels` could meet all of `requirements`, by the rules of
/// k8s.io/apimachinery/pkg/labels/selector.go (v0.36.3). NotIn and DoesNotExist are met if the
/// label is missing. A requirement with an unknown operator counts as met.
bool MayMeet(std::span<const LabelRequirement> requirements, const StringMap& labels);

/// Whether `labels` have every entry of `selector`, with the same value.
bool HasAll(const StringMap& labels, const StringMap& selector);

}  // namespace berth::model
