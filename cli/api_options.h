#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <string>

#include "cli/command.h"
#include "kube/api_config.h"

// The options by which people find a cluster and a namespace in it: those of kubectl, with its
// defaults.

namespace berth::cli {

/// What these options say.
struct ApiOptions {
  /// Empty to look for one as kubectl does; see PersonAccess.
  std::string kubeconfig = {};
  /// Empty for the kubeconfig's current one.
  std::string context = {};
  /// Empty for that of the context; see NamespaceOf.
  std::string namespace_name = {};
  bool all_namespaces = false;
};

/// Handles of options that other options of the command exclude.
struct ApiArguments {
  Argument kubeconfig;
  Argument context;
};

/// Adds --kubeconfig and --context. `options` must live until the command has run.
ApiArguments AddApiOptions(Command command, ApiOptions& options);

/// Adds -n/--namespace, which may be empty, as if it were left out. `help` says what is looked for
/// there, and where without it. `name` must live until the command has run.
Argument AddNamespaceOption(Command command, std::string& name, const std::string& help);

/// Adds --prefix, that of Berth's configuration. What cannot be one is wrong usage: no taint and no
/// gate would have it. `prefix` must live until the command has run.
Argument AddPrefixOption(Command command, std::string& prefix);

/// Adds -A/--all-namespaces, which excludes `namespace_option`.
Argument AddAllNamespacesOption(Command command, ApiOptions& options, Argument namespace_option);

/// Returns how to reach the API server. Returns INVALID_ARGUMENT, which stands for wrong usage, if
/// there is no kubeconfig or it cannot be used.
absl::StatusOr<kube::ApiConfig> AccessOf(const ApiOptions& options);

/// Returns the namespace that a command is about: that of -n, that of the context, or "default".
/// Empty for all namespaces.
std::string NamespaceOf(const ApiOptions& options);

}  // namespace berth::cli
