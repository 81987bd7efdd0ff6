#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <vector>

namespace berth::cli {

/// What Berth's entry in kube-scheduler's configuration is made from.
struct StanzaOptions {
  /// The extender's URL, as kube-scheduler reaches it: "https://10.96.12.34:443".
  std::string url;
  /// PEM of the authorities that kube-scheduler trusts; empty only if `url` is plain HTTP.
  std::string authorities;
  /// A name that the extender's certificate has for certain; empty: that in `url`.
  std::string server_name;
  /// The resources of the catalogue, each once.
  std::vector<std::string> resources;
  /// Whether pods are scheduled without Berth while it cannot be reached.
  bool ignorable = false;
  /// Paths, on kube-scheduler's machine, of its client certificate and key; empty if it has none.
  std::string certificate_file;
  std::string key_file;
};

/// The fields profiles and extenders of a KubeSchedulerConfiguration
/// (kubescheduler.config.k8s.io/v1) as YAML, with comments that explain them and what else belongs
/// into the file. The entry looks like this:
///
///   - urlPrefix: https://10.96.12.34:443
///     enableHTTPS: true
///     tlsConfig:
///       caData: <PEM in base64>
///       serverName: berth-extender.berth-system.svc
///     filterVerb: filter
///     prioritizeVerb: prioritize
///     preemptVerb: preempt
///     weight: 31
///     nodeCacheCapable: true
///     ignorable: false
///     httpTimeout: 5s
///     managedResources:
///     - {name: nvidia.com/gpu, ignoredByScheduler: false}
std::string StanzaYaml(const StanzaOptions& options);

/// The URL of a Service with that cluster IP: "https://10.96.12.34:443". Puts brackets around an
/// IPv6 address.
std::string HttpsUrl(const std::string& address);

/// Returns INVALID_ARGUMENT, in a message that begins with `option`, unless `url` is https, or http
/// on a loopback address, without a path.
absl::Status ValidateExtenderUrl(const std::string& option, const std::string& url);

}  // namespace berth::cli
