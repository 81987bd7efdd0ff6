#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <string>
#include <string_view>
#include <vector>

// Names of objects that options give. They get into the paths of requests and into YAML, so they
// are checked before anything else is done with them. All errors are INVALID_ARGUMENT, which stands
// for wrong usage, in a message that begins with `option`, such as "-n", and says what to write.

namespace berth::cli {

/// Returns an error if no namespace can have that name.
absl::Status CheckNamespaceName(std::string_view option, std::string_view name);

/// Returns the namespaces that an option names, in their order. Each of its values has one or
/// several, separated by commas: {"a,b", "c"}. A value without any is an error, as one that a
/// script makes of a variable that is not set.
absl::StatusOr<std::vector<std::string>> NamespacesIn(std::string_view option,
                                                      const std::vector<std::string>& values);

/// Returns an error if no pod can have that name.
absl::Status CheckPodName(std::string_view option, std::string_view name);

/// Returns an error if Helm gives no release that name.
absl::Status CheckReleaseName(std::string_view option, std::string_view name);

}  // namespace berth::cli
