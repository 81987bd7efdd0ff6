#include "cli/api_options.h"

#include "cli/api_access.h"
#include "cli/object_names.h"
#include "config/config.h"

namespace berth::cli {

ApiArguments AddApiOptions(Command command, ApiOptions& options) {
  const Argument kubeconfig =
      command.AddOption("--kubeconfig", options.kubeconfig, "Kubeconfig file");
  const Argument context = command.AddOption(
      "--context", options.context, "Context of the kubeconfig (default: its current one)");
  return {.kubeconfig = kubeconfig, .context = context};
}

Argument AddNamespaceOption(Command command, std::string& name, const std::string& help) {
  return command.AddOption("-n,--namespace", name, help).Checked(CheckNamespaceIfAny);
}

Argument AddPrefixOption(Command command, std::string& prefix) {
  return command.AddOption("--prefix", prefix, "The prefix of Berth's configuration")
      .Checked(config::CheckPrefix);
}

Argument AddAllNamespacesOption(Command command, ApiOptions& options, Argument namespace_option) {
  return command.AddFlag("-A,--all-namespaces", options.all_namespaces, "All namespaces")
      .Excludes(namespace_option);
}

absl::StatusOr<kube::ApiConfig> AccessOf(const ApiOptions& options) {
  auto access = PersonAccess(options.kubeconfig, options.context, kube::ProcessEnvironment());
  if (access.ok()) return access;
  return absl::InvalidArgumentError(std::string(access.status().message()));
}

std::string NamespaceOf(const ApiOptions& options) {
  if (options.all_namespaces) return "";
  if (!options.namespace_name.empty()) return options.namespace_name;
  return PersonNamespace(options.kubeconfig, options.context);
}

}  // namespace berth::cli
