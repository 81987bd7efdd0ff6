#pragma once

#include <compare>
#include <span>
#include <string>
#include <vector>

#include "model/node.h"

namespace berth::model {

/// A metav1.LabelSelectorRequirement.
struct LabelRequirement {
  std::string key;
  /// In, NotIn, Exists or DoesNotExist.
  std::string op;
  /// Of In and NotIn.
  std::vector<std::string> values;

  friend auto operator<=>(const LabelRequirement&, const LabelRequirement&) = default;
};

/// Which pods an affinity term is about: what counts of a v1.PodAffinityTerm when it is asked
/// whether it could select a pod. Two that say the same compare equal. A plain value.
struct PodSelector {
  /// Ascending, each once; none: any.
  std::vector<std::string> namespaces;
  /// All of them have to be met, so none selects every pod. Ascending.
  std::vector<LabelRequirement> labels;

  friend auto operator<=>(const PodSelector&, const PodSelector&) = default;
};

/// Whether a pod with `labels` could meet all of `requirements`: by the rules of
/// k8s.io/apimachinery/pkg/labels/selector.go (v0.36.3), and one with another operator is met.
bool MayMeet(std::span<const LabelRequirement> requirements, const StringMap& labels);

/// Whether `labels` have every entry of `selector`.
bool HasAll(const StringMap& labels, const StringMap& selector);

}  // namespace berth::model
