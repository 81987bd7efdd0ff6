#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <vector>

namespace berth::cli {

/// What Berth's entry in kube-scheduler's configuration is made of.
struct StanzaOptions {
  /// "https://10.96.12.34:443".
  std::string url;
  /// PEM; empty only where `url` is plain HTTP.
  std::string authorities;
  /// The resources of the catalogue.
  std::vector<std::string> resources;
  bool ignorable = false;
  /// Paths on kube-scheduler's machine of the certificate that it shows, and of its key; empty: it
  /// shows none.
  std::string certificate_file;
  std::string key_file;
};

/// The fields percentageOfNodesToScore, profiles and extenders of a KubeSchedulerConfiguration
/// (kubescheduler.config.k8s.io/v1) as YAML, with comments that say what for.
std::string StanzaYaml(const StanzaOptions& options);

/// "https://10.96.12.34:443", and with brackets around an IPv6 address.
std::string HttpsUrl(const std::string& address);

/// INVALID_ARGUMENT that begins with `option` unless `url` is https, or http on loopback, without a
/// path.
absl::Status ValidateExtenderUrl(const std::string& option, const std::string& url);

}  // namespace berth::cli
