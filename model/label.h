#pragma once

#include <string_view>

// The syntax of Kubernetes' names, as in k8s.io/apimachinery/pkg/api/validate/content (v0.36.3).
// All functions are thread-safe.

namespace berth::model {

/// Whether `text` is 1 to 63 letters, digits, '-', '_' and '.', with a letter or digit at both
/// ends. That is the value of a label (which may also be empty), or the part of a qualified name
/// after the '/'.
bool IsLabelValue(std::string_view text);

/// Whether `text` is 1 to 253 lower-case letters, digits, '-' and '.', where each part between dots
/// begins and ends with a letter or digit. Most API objects have such names.
bool IsDnsSubdomain(std::string_view text);

/// Whether `text` is 1 to 63 lower-case letters, digits and '-', with a letter or digit at both
/// ends. Namespaces and Services have such names (NameIsDNSLabel in
/// k8s.io/apimachinery/pkg/api/validation/generic.go, v0.36.3).
bool IsDnsLabel(std::string_view text);

/// Whether `text` is [<DNS subdomain>/]<name>: the name of a label, annotation or resource.
bool IsQualifiedName(std::string_view text);

/// Whether `text` is a resource name that a device plugin may register: a qualified name with a
/// domain that is not kubernetes.io or below it (IsExtendedResourceName in
/// k8s.io/kubernetes/pkg/apis/core/v1/helper/helpers.go). "nvidia.com/gpu" is one; "cpu" and
/// "kubernetes.io/gpu" are not.
bool IsExtendedResourceName(std::string_view text);

/// What the labels begin with that Node Feature Discovery sets: some 40 of the 60 labels of a real
/// node, which say what its processor can do. A view of whole pods does not keep them.
inline constexpr std::string_view kNodeFeaturePrefix = "feature.node.kubernetes.io/";

}  // namespace berth::model
