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

// Reads the facts of a cluster from its API server. All functions block until they have their
// answers. Errors are absl::Status: PERMISSION_DENIED in words that name the missing right,
// NOT_FOUND, UNAVAILABLE, or what else kube::CallJson returns.

namespace berth::doctor {

/// Where Berth is installed in the cluster.
struct Place {
  std::string namespace_name = "berth-system";
  /// Name of the Helm release.
  std::string release = "berth";
  /// The namespace in which a pod is created with dryRun=All.
  std::string trial_namespace = "default";
};

/// How to reach an extender directly, for a filter request.
struct ExtenderAccess {
  /// Null if no extender is to be asked. Must outlive the call.
  kube::Transport* transport = nullptr;
  /// The extender's URL, for messages.
  std::string url;
  /// Name of the catalogue entry whose nodes the request is about. If empty, the request is about
  /// the nodes with the first resource of the catalogue that any node has.
  std::string accelerator = {};
};

/// What Berth's processes ask of the API server. The key is the component label that the chart
/// gives them: "extender", "controller".
using NeedsByComponent = std::map<std::string, std::vector<kube::Need>, std::less<>>;

/// Everything that Gather() has to know besides the sources.
struct Questions {
  /// Where to look.
  Place place;
  ExtenderAccess extender;
  /// The rights that Berth's service accounts must have.
  NeedsByComponent processes;
};

/// The permissions that it takes to read a source.
std::vector<kube::Need> NeedsOf(Source source, const Place& place);

/// Reads `sources` one after the other and writes each result, or its error, into its field of
/// `facts`. Leaves the other fields alone, except that a filter trial also reads the nodes;
/// `facts.scheduler` is never read here. `transport` is connected to the API server.
/// `facts.namespace_name` and `facts.fullname` must be set. What nobody may read becomes an error
/// in `facts`, so Gather() itself cannot fail.
void Gather(const std::set<Source>& sources, const Questions& questions, const Rules& rules,
            kube::Transport& transport, Facts& facts);

// Every node. Nodes that cannot be read are added to `unreadable` and left out. See
// Facts::labelled_late for the last.
absl::StatusOr<std::vector<model::Node>> GatherNodes(
    kube::Api& api, std::vector<kube::UnreadableObject>& unreadable,
    std::set<std::string>& labelled_late);

/// Every pod that has not ended, in the same way. `prefix` is that of Berth's annotations.
absl::StatusOr<std::vector<PodFacts>> GatherPods(kube::Api& api, const std::string& prefix,
                                                 std::vector<kube::UnreadableObject>& unreadable);
/// Every namespace with its labels.
absl::StatusOr<std::vector<NamespaceFacts>> GatherNamespaces(kube::Api& api);
/// Every PersistentVolumeClaim.
absl::StatusOr<std::vector<ClaimFacts>> GatherClaims(kube::Api& api);
/// Empty if the API server does not know DeviceClasses.
absl::StatusOr<std::vector<DeviceClassFacts>> GatherDeviceClasses(kube::Api& api);
/// Every DaemonSet.
absl::StatusOr<std::vector<DaemonSetFacts>> GatherDaemonSets(kube::Api& api);
/// The text under `key` of a ConfigMap. NOT_FOUND if there is no such ConfigMap or key.
absl::StatusOr<std::string> GatherConfigMap(kube::Api& api, const std::string& namespace_name,
                                            const std::string& name, const std::string& key);
absl::StatusOr<ServiceFacts> GatherService(kube::Api& api, const std::string& namespace_name,
                                           const std::string& name);
/// A Secret that does not exist is no error: then `exists` is false.
absl::StatusOr<SecretFacts> GatherSecret(kube::Api& api, const std::string& namespace_name,
                                         const std::string& name);
/// The mutating and the validating configuration called `name`. One that does not exist is no
/// error.
absl::StatusOr<std::vector<WebhookConfigurationFacts>> GatherWebhooks(kube::Api& api,
                                                                      const std::string& name);
/// Reads the metrics of each extender pod through the API server's proxy. `port` is that of
/// /metrics. A pod that does not answer is no error: then `unreachable` says why.
absl::StatusOr<std::vector<SnapshotFacts>> GatherSnapshots(kube::Transport& transport,
                                                           const Place& place,
                                                           const std::string& port);
/// Whether the API server serves PodGroups (scheduling.k8s.io/v1beta1).
absl::StatusOr<bool> GatherPodGroups(kube::Api& api);
/// The Lease of the controllers. One that does not exist is no error.
absl::StatusOr<LeaderFacts> GatherLeader(kube::Api& api, const std::string& namespace_name,
                                         const std::string& name);
/// Asks the API server whether this person has the permissions in `own`, and whether the service
/// accounts of the deployed processes have those in `questions.processes`. NOT_FOUND if nothing of
/// the release is deployed.
absl::StatusOr<std::vector<RightFacts>> GatherRights(kube::Api& api, const Questions& questions,
                                                     const std::vector<kube::Need>& own);
/// Creates a pod without limits with dryRun=All, so nothing is stored. A rejection is no error, but
/// a missing right is: PERMISSION_DENIED.
absl::StatusOr<WebhookTrial> TryPod(kube::Transport& transport, const std::string& namespace_name);
/// Asks the extender's /filter about a pod with one device and up to 1,000 of `nodes`. NOT_FOUND if
/// no node has a device to ask about. A failure of the extender is no error: then `error` says why.
absl::StatusOr<FilterTrial> TryFilter(const ExtenderAccess& extender,
                                      const std::vector<model::Node>& nodes,
                                      const model::AcceleratorCatalog& catalog);

}  // namespace berth::doctor
