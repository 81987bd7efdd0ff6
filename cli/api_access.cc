#include "cli/api_access.h"

#include <absl/status/status.h>
#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "kube/text_source.h"

namespace berth::cli {

namespace {

// Beside the credentials that kube::LoadInCluster() reads.
constexpr char kPodsNamespace[] = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";

// The kubeconfig of a person, unless $KUBECONFIG names it. Empty: there is none.
std::string PersonFile(const std::string& kubeconfig, const kube::Environment& environment) {
  if (!kubeconfig.empty() || !environment("KUBECONFIG").empty()) return kubeconfig;
  std::string home = environment("HOME") + "/.kube/config";
  std::error_code unreadable;
  return std::filesystem::exists(home, unreadable) ? home : "";
}

// Empty: there is none.
kube::KubeconfigPaths PersonFiles(const std::string& kubeconfig,
                                  const kube::Environment& environment) {
  std::string file = PersonFile(kubeconfig, environment);
  return file.empty() ? kube::KubeconfigNamedBy(environment) : std::move(file);
}

}  // namespace

absl::StatusOr<kube::ApiConfig> ServerAccess(const config::KubernetesConfig& config,
                                             const kube::Environment& environment) {
  if (!config.kubeconfig.empty())
    return kube::LoadProxied(config.kubeconfig, environment, config.context);
  auto access = kube::LoadInCluster(environment);
  if (access.ok()) return access;
  return absl::Status(access.status().code(),
                      fmt::format("kubernetes.kubeconfig is not set, and {}",
                                  std::string(access.status().message())));
}

absl::StatusOr<kube::ApiConfig> PersonAccess(const std::string& kubeconfig,
                                             const std::string& context,
                                             const kube::Environment& environment) {
  return kube::FindApiConfig(PersonFile(kubeconfig, environment), environment, context);
}

std::string PersonNamespace(const std::string& kubeconfig, const std::string& context,
                            const kube::Environment& environment) {
  const kube::KubeconfigPaths files = PersonFiles(kubeconfig, environment);
  const auto named =
      files.empty() ? kube::ReadWholeFile(kPodsNamespace) : kube::NamespaceIn(files, context);
  return named.ok() && !named->empty() ? *named : "default";
}

std::vector<std::string> PersonContexts(const std::string& kubeconfig,
                                        const kube::Environment& environment) {
  const kube::KubeconfigPaths files = PersonFiles(kubeconfig, environment);
  if (files.empty()) return {};
  return kube::ContextsOf(files).value_or(std::vector<std::string>());
}

}  // namespace berth::cli
