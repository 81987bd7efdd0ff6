#include <cstdlib>

#include "absl/status/status.h"
#include "fmt/format.h"
#include "kube/kubeconfig.h"
#include "kube/proxy.h"
#include "kube/server_url.h"

namespace berth::kube {

absl::StatusOr<ApiConfig> LoadInCluster(const Environment& environment,
                                        const std::string& directory) {
  const std::string host = environment("KUBERNETES_SERVICE_HOST");
  const std::string port = environment("KUBERNETES_SERVICE_PORT");
  if (host.empty() || port.empty()) {
    return absl::FailedPreconditionError(
        "no API server: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set, so this "
        "is not a pod; name a kubeconfig file");
  }
  ApiConfig config;
  const bool v6 = host.find(':') != std::string::npos;
  const absl::Status parsed =
      ParseServerUrl("https://" + (v6 ? '[' + host + ']' : host) + ':' + port, config);
  if (!parsed.ok()) {
    return absl::FailedPreconditionError(fmt::format(
        "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT: {}", std::string(parsed.message())));
  }
  const absl::Status proxied = UseProxyOf(environment, config);
  if (!proxied.ok()) return proxied;
  config.token = TextSource::File(directory + "/token");
  config.certificate_authority = TextSource::File(directory + "/ca.crt");
  for (const TextSource* source : {&config.token, &config.certificate_authority}) {
    const absl::StatusOr<std::string> text = source->Read();
    if (text.ok()) continue;
    return absl::FailedPreconditionError(
        fmt::format("{}; does the pod have automountServiceAccountToken: false?",
                    std::string(text.status().message())));
  }
  return config;
}

absl::StatusOr<ApiConfig> FindApiConfig(const std::string& path, const Environment& environment,
                                        const std::string& context) {
  const KubeconfigPaths paths = path.empty() ? KubeconfigNamedBy(environment) : path;
  if (paths.empty()) return LoadInCluster(environment);
  return LoadProxied(paths, environment, context, ExecPlugins::kRun);
}

absl::StatusOr<ApiConfig> LoadProxied(const KubeconfigPaths& paths, const Environment& environment,
                                      const std::string& context, ExecPlugins plugins) {
  absl::StatusOr<ApiConfig> config = LoadKubeconfig(paths, context, plugins);
  if (!config.ok()) return config;
  const absl::Status proxied = UseProxyOf(environment, *config);
  if (!proxied.ok()) return proxied;
  return config;
}

Environment ProcessEnvironment() {
  return [](const std::string& name) -> std::string {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? "" : value;
  };
}

}  // namespace berth::kube
