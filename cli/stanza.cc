#include "cli/stanza.h"

#include <absl/strings/escaping.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "doctor/scheduler_config.h"
#include "kube/api_config.h"
#include "kube/server_url.h"

namespace berth::cli {

namespace {

// Longer than the extender takes for 10,000 nodes, and shorter than people want to wait.
constexpr const char* kHttpTimeout = "5s";

constexpr const char* kHead =
    R"(# Berth's part of a KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1). Restart kube-scheduler
# after a change: it reads the file, and the CA in it, only once.

# kube-scheduler looks only at a sample of a large cluster's nodes. If a whole sample is refused, Berth's
# controller looks at all nodes, for the pods of the profiles that planner.schedulers of Berth's
# configuration names: name yours there. The sample may then be smaller than by default, which is faster;
# pods that ask for no accelerators get the best of fewer nodes, too:
# percentageOfNodesToScore: 2
# Without the controller a pod that few nodes fit may need many samples, and may have pods evicted
# meanwhile. Then let kube-scheduler look at every node, which makes it slower in a large cluster:
# percentageOfNodesToScore: 100
# kube-scheduler may send 50 requests a second by default, and so binds no more pods than that. Add this to
# your clientConnection:
# clientConnection: {qps: 1000, burst: 2000}
# Many pods that wait for accelerators delay the pods that fit, because kube-scheduler retries them. A
# longer backoff reduces the delay; but every pod that was refused many times then waits as long.
# podMaxBackoffSeconds: 60
profiles:
- schedulerName: default-scheduler # and the same in each of your other profiles
  pluginConfig:
  # By default kube-scheduler looks for pods to preempt on a tenth of the nodes (at least 100) before it
  # calls Berth, and a pod for a small pool waits if Berth refuses all of these nodes.
  - name: DefaultPreemption
    args: {minCandidateNodesPercentage: 100}
  # By default kube-scheduler spreads the pods of ReplicaSets, StatefulSets and Services, so Berth has
  # to answer with all nodes that fit them. To pack these pods, too, write in Berth's configuration
  # extender.shortlist.defaultSpreading: false, and here
  # - name: PodTopologySpread
  #   args: {defaultingType: List, defaultConstraints: []}
# Berth has to be the last extender.
extenders:
)";

// A JSON string is also a YAML string.
std::string Quoted(const std::string& text) { return nlohmann::json(text).dump(); }

std::string Tls(const StanzaOptions& options) {
  if (options.authorities.empty()) return "  enableHTTPS: false\n";
  std::string yaml = fmt::format("  enableHTTPS: true\n  tlsConfig:\n    caData: {}\n",
                                 absl::Base64Escape(absl::string_view(options.authorities)));
  if (!options.server_name.empty()) {
    yaml += "    # Only the controller's certificates have the address, too.\n";
    yaml += fmt::format("    serverName: {}\n", options.server_name);
  }
  if (options.certificate_file.empty()) return yaml;
  yaml += "    # kube-scheduler reads these again when they change.\n";
  return yaml + fmt::format("    certFile: {}\n    keyFile: {}\n", Quoted(options.certificate_file),
                            Quoted(options.key_file));
}

}  // namespace

std::string StanzaYaml(const StanzaOptions& options) {
  std::string yaml = kHead;
  yaml += fmt::format("- urlPrefix: {}\n", options.url);
  yaml += Tls(options);
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
      "{}: \"{}\" has a path, but Berth serves at the root; write https://HOST:PORT", option, url));
}

}  // namespace berth::cli
