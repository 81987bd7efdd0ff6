#pragma once

#include <absl/status/status.h>

#include <string>
#include <string_view>
#include <vector>

// Names of objects that options give. They get into the paths of requests and into YAML, so each
// option has one of these checks, see Argument::Checked() (command.h). All errors are
// INVALID_ARGUMENT and say what to write.

namespace berth::cli {

/// Returns an error if no namespace can have that name.
absl::Status CheckNamespaceName(std::string_view name);

/// The same for an option that need not name one: an empty name is right, as for kubectl.
absl::Status CheckNamespaceIfAny(std::string_view name);

/// Returns an error unless `list` has one or several names of namespaces, separated by commas. A
/// list without any is what a script makes of a variable that is not set.
absl::Status CheckNamespaceList(std::string_view list);

/// Returns the namespaces of lists that have passed CheckNamespaceList(), in their order: of
/// {"a,b", "c"} these are a, b and c.
std::vector<std::string> NamespacesIn(const std::vector<std::string>& lists);

/// Returns an error if no pod can have that name.
absl::Status CheckPodName(std::string_view name);

/// Returns an error if Helm gives no release that name.
absl::Status CheckReleaseName(std::string_view name);

}  // namespace berth::cli
