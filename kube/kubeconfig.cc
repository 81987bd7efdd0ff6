#include "kube/kubeconfig.h"

#include <memory>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_split.h"
#include "fmt/format.h"
#include "kube/exec_credentials.h"
#include "kube/exec_section.h"
#include "kube/kubeconfig_section.h"
#include "kube/proxy.h"
#include "kube/server_url.h"
#include "kube/tls_client.h"

namespace berth::kube {
namespace {

void ReadCluster(const Section& cluster, ApiConfig& config) {
  const std::string proxy = cluster.Text("proxy-url");
  if (!proxy.empty()) {
    const absl::Status parsed = ParseProxyUrl(proxy, config);
    if (!parsed.ok()) cluster.Fail("proxy-url", "names " + std::string(parsed.message()));
  }
  const absl::Status parsed = ParseServerUrl(cluster.Text("server"), config);
  if (!parsed.ok()) cluster.Fail("server", "has " + std::string(parsed.message()));
  config.certificate_authority = cluster.Credential("certificate-authority");
  config.tls_server_name = cluster.Text("tls-server-name");
  config.insecure_skip_tls_verify = cluster.Flag("insecure-skip-tls-verify");
  if (config.insecure_skip_tls_verify && config.certificate_authority.given()) {
    cluster.Fail("insecure-skip-tls-verify",
                 "contradicts certificate-authority; remove one of them");
  }
}

void RefuseKey(const Section& user, const std::string& key, std::string_view instead) {
  if (user.Has(key)) user.Fail(key, instead);
}

void RefuseWhatIsNotUsed(const Section& user, ExecPlugins plugins) {
  constexpr std::string_view kInstead =
      "is set, but Berth cannot use it; give token, tokenFile, or client-certificate and "
      "client-key (a service account's token will do: kubectl create token)";
  if (plugins == ExecPlugins::kRefused) RefuseKey(user, "exec", kInstead);
  for (const char* key : {"auth-provider", "username", "password"}) RefuseKey(user, key, kInstead);
  for (const char* key : {"as", "as-uid", "as-groups", "as-user-extra"}) {
    RefuseKey(user, key,
              "is set, but Berth does not impersonate users; give it credentials of its own");
  }
}

void ReadUser(const Section& user, const Section& cluster, ExecPlugins plugins, ApiConfig& config) {
  RefuseWhatIsNotUsed(user, plugins);
  config.client_certificate = user.Credential("client-certificate");
  config.client_key = user.Credential("client-key");
  if (config.client_certificate.given() != config.client_key.given()) {
    user.Fail("has only one of client-certificate and client-key; give both or none");
  }
  config.token = user.File("tokenFile");
  if (!config.token.given()) config.token = TextSource::Text(user.Text("token"));
  if (!user.Has("exec") || plugins == ExecPlugins::kRefused) return;
  ExecPlugin plugin = ReadExecSection(user, cluster);
  // What stands in the file itself goes first, as in kubectl.
  if (config.token.given() || config.client_certificate.given()) return;
  config.exec = std::make_shared<ExecCredentials>(std::move(plugin));
}

absl::StatusOr<ApiConfig> ReadContext(const KubeconfigFiles& files, const std::string& name,
                                      ExecPlugins plugins) {
  absl::Status status;
  ApiConfig config;
  const Section context = files.Context(name, status);
  if (!status.ok()) return status;
  const Section cluster = files.Named("clusters", "cluster", context.Text("cluster"),
                                      context.path() + ".cluster", status);
  if (status.ok()) ReadCluster(cluster, config);
  const std::string user = context.Text("user");
  if (status.ok() && !user.empty()) {
    const Section section = files.Named("users", "user", user, context.path() + ".user", status);
    if (status.ok()) ReadUser(section, cluster, plugins, config);
  }
  if (!status.ok()) return status;
  return config;
}

}  // namespace

absl::StatusOr<ApiConfig> LoadKubeconfig(const KubeconfigPaths& paths, const std::string& context,
                                         ExecPlugins plugins) {
  const absl::StatusOr<KubeconfigFiles> files = KubeconfigFiles::Read(paths.files);
  if (!files.ok()) return files.status();
  absl::StatusOr<ApiConfig> config = ReadContext(*files, context, plugins);
  if (!config.ok() || !config->tls) return config;
  const absl::Status usable = MakeTlsContext(*config).status();
  if (usable.ok()) return config;
  return absl::InvalidArgumentError(
      fmt::format("{}: {}", files->files(), std::string(usable.message())));
}

absl::StatusOr<std::string> NamespaceIn(const KubeconfigPaths& paths, const std::string& context) {
  const absl::StatusOr<KubeconfigFiles> files = KubeconfigFiles::Read(paths.files);
  if (!files.ok()) return files.status();
  absl::Status status;
  std::string name = files->Context(context, status).Text("namespace");
  if (!status.ok()) return status;
  return name;
}

absl::StatusOr<std::vector<std::string>> ContextsOf(const KubeconfigPaths& paths) {
  const absl::StatusOr<KubeconfigFiles> files = KubeconfigFiles::Read(paths.files);
  if (!files.ok()) return files.status();
  absl::Status status;
  std::vector<std::string> names = files->Names("contexts", status);
  if (!status.ok()) return status;
  return names;
}

KubeconfigPaths KubeconfigNamedBy(const Environment& environment) {
  const std::string named = environment("KUBECONFIG");
  const std::vector<std::string> files = absl::StrSplit(named, ':', absl::SkipEmpty());
  return KubeconfigPaths(files);
}

}  // namespace berth::kube
