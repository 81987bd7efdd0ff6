#pragma once

#include <absl/status/statusor.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "doctor/check.h"
#include "doctor/facts.h"
#include "kube/json_api.h"
#include "kube/transport.h"

// From the API server to facts. What cannot be read leaves its error there.

namespace berth::doctor {

/// Where to look.
struct Place {
  std::string namespace_name = "berth-system";
  /// Of helm.
  std::string release = "berth";
  /// Where a pod is tried.
  std::string trial_namespace = "default";
};

/// Whom to ask about filter, besides the API server.
struct ExtenderAccess {
  /// Null: nobody.
  kube::Transport* transport = nullptr;
  /// For sentences.
  std::string url;
  /// Of the catalogue: whose nodes it is asked about. Empty: those of the first resource of the
  /// catalogue that a node has.
  std::string accelerator = {};
};

/// What processes of Berth ask of the API server, by the component that the chart labels them with:
/// "extender", "controller".
using NeedsByComponent = std::map<std::string, std::vector<kube::Need>, std::less<>>;

/// What is asked besides the API server's objects.
struct Questions {
  Place place;
  ExtenderAccess extender;
  NeedsByComponent processes;
};

/// What a source asks of the API server.
std::vector<kube::Need> NeedsOf(Source source, const Place& place);

/// Fills in what the sources tell. What is there already (kube-scheduler's configuration, from a
/// file) stays. `transport` is that of the API server.
void Gather(const std::set<Source>& sources, const Questions& questions, const Rules& rules,
            kube::Transport& transport, Facts& facts);

// Its parts.
/// Nodes and pods that cannot be read are added to `unreadable`.
absl::StatusOr<std::vector<model::Node>> GatherNodes(
    kube::Api& api, std::vector<kube::UnreadableObject>& unreadable);
absl::StatusOr<std::vector<PodFacts>> GatherPods(kube::Api& api, const std::string& prefix,
                                                 std::vector<kube::UnreadableObject>& unreadable);
absl::StatusOr<std::vector<NamespaceFacts>> GatherNamespaces(kube::Api& api);
absl::StatusOr<std::vector<ClaimFacts>> GatherClaims(kube::Api& api);
/// None where the API server does not know them.
absl::StatusOr<std::vector<DeviceClassFacts>> GatherDeviceClasses(kube::Api& api);
/// The text under `key` of a ConfigMap.
absl::StatusOr<std::string> GatherConfigMap(kube::Api& api, const std::string& namespace_name,
                                            const std::string& name, const std::string& key);
absl::StatusOr<ServiceFacts> GatherService(kube::Api& api, const std::string& namespace_name,
                                           const std::string& name);
absl::StatusOr<SecretFacts> GatherSecret(kube::Api& api, const std::string& namespace_name,
                                         const std::string& name);
absl::StatusOr<std::vector<WebhookConfigurationFacts>> GatherWebhooks(kube::Api& api,
                                                                      const std::string& name);
/// `port`: of the metrics.
absl::StatusOr<std::vector<SnapshotFacts>> GatherSnapshots(kube::Transport& transport,
                                                           const Place& place,
                                                           const std::string& port);
/// `own`: what this person has to be allowed.
absl::StatusOr<std::vector<RightFacts>> GatherRights(kube::Api& api, const Questions& questions,
                                                     const std::vector<kube::Need>& own);
absl::StatusOr<WebhookTrial> TryPod(kube::Transport& transport, const std::string& namespace_name);
/// Asks about a pod with one device.
absl::StatusOr<FilterTrial> TryFilter(const ExtenderAccess& extender,
                                      const std::vector<model::Node>& nodes,
                                      const model::AcceleratorCatalog& catalog);

}  // namespace berth::doctor
