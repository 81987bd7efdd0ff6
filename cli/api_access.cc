#include "cli/api_access.h"

#include <absl/status/status.h>
#include <fmt/format.h>

#include <filesystem>
#include <system_error>

namespace berth::cli {

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
  std::string file = kubeconfig;
  if (file.empty() && environment("KUBECONFIG").empty()) {
    const std::string home = environment("HOME") + "/.kube/config";
    std::error_code unreadable;
    if (std::filesystem::exists(home, unreadable)) file = home;
  }
  return kube::FindApiConfig(file, environment, context);
}

}  // namespace berth::cli
