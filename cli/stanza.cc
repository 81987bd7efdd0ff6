#include "cli/stanza.h"

#include <absl/strings/escaping.h>
#include <fmt/format.h>

#include "cli/doctor/scheduler_config.h"
#include "kube/api_config.h"
#include "kube/server_url.h"

namespace berth::cli {

namespace {

// Longer than the extender takes for 10,000 nodes, shorter than people wait.
constexpr const char* kHttpTimeout = "5s";

constexpr const char* kHead =
    R"(# Berth's part of a KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1). Restart kube-scheduler
# after a change: it reads the file, and the CA in it, once.

# Without it kube-scheduler offers a sample of a large cluster's nodes, and a pod waits where all of
# these are unfit.
percentageOfNodesToScore: 100
# Berth has to be the last one.
extenders:
)";

std::string Tls(const std::string& authorities) {
  if (authorities.empty()) return "  enableHTTPS: false\n";
  return fmt::format("  enableHTTPS: true\n  tlsConfig:\n    caData: {}\n",
                     absl::Base64Escape(absl::string_view(authorities)));
}

}  // namespace

std::string StanzaYaml(const StanzaOptions& options) {
  std::string yaml = kHead;
  yaml += fmt::format("- urlPrefix: {}\n", options.url);
  yaml += Tls(options.authorities);
  yaml +=
      "  filterVerb: filter\n"
      "  prioritizeVerb: prioritize\n"
      "  preemptVerb: preempt\n";
  yaml += fmt::format("  weight: {}\n", doctor::kBerthWeight);
  yaml += "  nodeCacheCapable: true\n";
  yaml += fmt::format("  ignorable: {}\n  httpTimeout: {}\n  managedResources:\n",
                      options.ignorable, kHttpTimeout);
  for (const std::string& resource : options.resources) {
    yaml += fmt::format("  - {{name: {}, ignoredByScheduler: false}}\n", resource);
  }
  return yaml;
}

std::string HttpsUrl(const std::string& address) {
  const bool ipv6 = address.find(':') != std::string::npos;
  return ipv6 ? fmt::format("https://[{}]:443", address) : fmt::format("https://{}:443", address);
}

absl::Status ValidateExtenderUrl(const std::string& option, const std::string& url) {
  kube::ApiConfig parsed;
  const absl::Status status = kube::ParseServerUrl(url, parsed);
  if (!status.ok()) {
    return absl::InvalidArgumentError(fmt::format("{}: {}", option, std::string(status.message())));
  }
  if (parsed.base_path.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(fmt::format(
      "{}: \"{}\" has a path; Berth serves at the root: https://HOST:PORT", option, url));
}

}  // namespace berth::cli
