#pragma once

#include <string_view>

// The syntax of Kubernetes' names: k8s.io/apimachinery/pkg/api/validate/content (v0.36.3).

namespace berth::model {

/// Letters, digits, '-', '_' and '.', first and last a letter or digit, 1 to 63 of them: a label's
/// value (which may also be empty) or the part of a qualified name after the '/'.
bool IsLabelValue(std::string_view text);

/// Lower-case letters, digits, '-' and '.', first and last of each part a letter or digit, 1 to 253
/// of them: the name of most API objects.
bool IsDnsSubdomain(std::string_view text);

/// [<DNS subdomain>/]<name>: the name of a label, annotation or resource.
bool IsQualifiedName(std::string_view text);

/// A qualified name with a domain that is not kubernetes.io or below it: what a device plugin may
/// register (k8s.io/kubernetes/pkg/apis/core/v1/helper/helpers.go, IsExtendedResourceName).
bool IsExtendedResourceName(std::string_view text);

}  // namespace berth::model
