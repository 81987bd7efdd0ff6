#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "kube/api_config.h"

// Finds the API server and the credentials for it. Every error names the file and the field, and
// says what to write instead. All functions read files, so they may block, but they do not use the
// network.

namespace berth::kube {

/// The files of a kubeconfig, in their order. Of what several of them have, the first one counts,
/// as in kubectl. Files that are not there are left out, unless none is there. A plain value, made
/// from one path alone where it is one file.
struct KubeconfigPaths {
  KubeconfigPaths() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): most kubeconfigs are one file
  KubeconfigPaths(std::string file) : files{std::move(file)} {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  KubeconfigPaths(const char* file) : files{file} {}
  explicit KubeconfigPaths(std::vector<std::string> several) : files(std::move(several)) {}

  bool empty() const { return files.empty(); }

  std::vector<std::string> files;
};

/// Whether the plugins by which people log in are run; see exec_plugin.h. Servers run none: they
/// have accounts of their own.
enum class ExecPlugins { kRefused, kRun };

/// Reads one context of a kubeconfig; the current one if `context` is empty. Certificates and keys
/// are read once, so that mistakes in them are reported here. Auth providers, passwords and
/// impersonation are rejected, and so are exec plugins unless they are to be run. None is run yet.
/// The environment's proxy is not used; see LoadProxied().
///
/// Returns InvalidArgument if the file's content cannot be used or exceeds the limits of
/// yaml/document.h, and NotFound, PermissionDenied or another error of the system if the file
/// cannot be read.
absl::StatusOr<ApiConfig> LoadKubeconfig(const KubeconfigPaths& paths,
                                         const std::string& context = {},
                                         ExecPlugins plugins = ExecPlugins::kRefused);

/// Returns the namespace of a context of a kubeconfig, or of the current one: that of whoever asks
/// for none. Empty if it has none. Errors are those of LoadKubeconfig().
absl::StatusOr<std::string> NamespaceIn(const KubeconfigPaths& paths,
                                        const std::string& context = {});

/// Returns the names of the contexts of a kubeconfig, in their order. Errors are those of
/// LoadKubeconfig().
absl::StatusOr<std::vector<std::string>> ContextsOf(const KubeconfigPaths& paths);

/// Returns the value of an environment variable, or empty if it is not set.
using Environment = std::function<std::string(const std::string& name)>;

/// The files that $KUBECONFIG names, separated by colons. Empty if it names none.
KubeconfigPaths KubeconfigNamedBy(const Environment& environment);

/// Like LoadKubeconfig(), but uses the environment's proxy if the file names none; see proxy.h.
absl::StatusOr<ApiConfig> LoadProxied(const KubeconfigPaths& paths, const Environment& environment,
                                      const std::string& context = {},
                                      ExecPlugins plugins = ExecPlugins::kRefused);

/// Returns the configuration for the service account of the pod that this process runs in: from
/// KUBERNETES_SERVICE_HOST and _PORT, and from the files `token` and `ca.crt` in `directory`. Uses
/// the environment's proxy. Returns FailedPrecondition outside of a cluster, and if a file cannot
/// be read.
absl::StatusOr<ApiConfig> LoadInCluster(
    const Environment& environment,
    const std::string& directory = "/var/run/secrets/kubernetes.io/serviceaccount");

/// How a person reaches the API server: by the first of these that is given: the file `path`; the
/// files that $KUBECONFIG names; the service account of this pod. `context` is for files only. Exec
/// plugins are run. Returns the errors of LoadProxied() and LoadInCluster().
absl::StatusOr<ApiConfig> FindApiConfig(const std::string& path, const Environment& environment,
                                        const std::string& context = {});

/// The environment of this process.
Environment ProcessEnvironment();

}  // namespace berth::kube
