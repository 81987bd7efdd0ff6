#pragma once

#include <absl/status/statusor.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "certs/certificate.h"
#include "doctor/scheduler_config.h"
#include "doctor/selector.h"
#include "kube/unreadable_object.h"
#include "model/node.h"
#include "model/node_selector.h"
#include "model/resources.h"
#include "model/taint.h"
#include "model/time.h"

// Everything that checks judge about a cluster, as plain values. The functions of gather.h fill it
// in.

namespace berth::doctor {

/// Where facts come from. Checks name the sources that they need, and only these are read.
enum class Source {
  kScheduler,     // kube-scheduler's configuration
  kService,       // the extender's Service
  kSecrets,       // the Secrets with certificates of servers and their clients
  kWebhooks,      // the two webhook configurations
  kNamespaces,    // names and labels
  kNodes,         // all nodes
  kPods,          // all pods that have not ended
  kClaims,        // PersistentVolumeClaims
  kClasses,       // DeviceClasses
  kDaemonSets,    // DaemonSets
  kWebhookTrial,  // a pod created with dryRun=All
  kFilterTrial,   // a filter request to the extender
  kSnapshots,     // metrics of the extenders
  kLeader,        // the Lease of the controllers
  kPodGroups,     // whether the API server serves PodGroups
  kRights,        // what the person who runs doctor and Berth's service accounts may do
};

/// A pod that has not ended.
struct PodFacts {
  std::string namespace_name;
  std::string name;
  /// Empty while the pod is pending.
  std::string node;
  /// spec.schedulerName.
  std::string scheduler;
  /// Whether the pod was created with spec.nodeName, so that no scheduler placed it.
  bool created_bound = false;
  /// Kind of its controller: "DaemonSet"; empty if it has none.
  std::string owner;
  /// When the pod should be gone, its grace period included; kNoTime unless it was deleted.
  model::Time deleted = model::kNoTime;
  /// The Job that controls it, if it was deleted; else empty.
  std::string job;
  /// Whether it is the mirror of a static pod.
  bool mirror = false;
  /// What the scheduler counts: the pod's effective requests.
  model::Resources requests;
  /// The annotations accelerator-memory and checkpoint; empty if it has none.
  std::string memory_minimum;
  std::string checkpoint;
  /// The node selector and required node affinity; null if it has neither. Pods of one shape share
  /// it.
  std::shared_ptr<const model::NodeNeeds> needs;

  std::string FullName() const { return namespace_name + "/" + name; }
};

/// A namespace and its labels.
struct NamespaceFacts {
  std::string name;
  /// The webhooks select namespaces by these.
  model::StringMap labels;
};

/// A PersistentVolumeClaim.
struct ClaimFacts {
  std::string namespace_name;
  std::string name;
  /// spec.accessModes: "ReadWriteMany".
  std::vector<std::string> access_modes;
};

/// A DeviceClass (k8s.io/api/resource/v1/types.go, v0.36.3).
struct DeviceClassFacts {
  std::string name;
  /// extendedResourceName: pods that request this resource get devices of the class. Empty if it
  /// has none.
  std::string resource;
};

/// A DaemonSet, and what decides on which nodes its pods run.
struct DaemonSetFacts {
  std::string namespace_name;
  std::string name;
  /// Of the template of its pods.
  std::vector<model::Toleration> tolerations = {};
  model::NodeNeeds needs = {};

  std::string FullName() const { return namespace_name + "/" + name; }
};

/// The extender's Service.
struct ServiceFacts {
  std::string name;
  /// spec.clusterIPs without "None".
  std::vector<std::string> cluster_ips;
};

/// A Secret with the certificate of a server or of its client. The key is not kept.
struct SecretFacts {
  std::string name;
  bool exists = false;
  /// tls.crt and ca.crt, as PEM.
  std::string chain;
  std::string authorities;
  /// Whether a server or a client shows the certificate.
  certs::Usage usage = certs::Usage::kServer;
};

/// One webhook of a webhook configuration.
struct WebhookFacts {
  std::string name;
  std::string authorities;  // caBundle, as PEM; empty means the system's authorities
  /// "Ignore" or "Fail".
  std::string failure_policy;
  /// The namespaceSelector.
  LabelSelector namespaces;
  /// Name of the Service; empty if the webhook has a URL instead.
  std::string service;
};

/// One of the two webhook configurations of the chart.
struct WebhookConfigurationFacts {
  /// "MutatingWebhookConfiguration" or "ValidatingWebhookConfiguration".
  std::string kind;
  bool exists = false;
  /// Empty if the configuration does not exist.
  std::vector<WebhookFacts> webhooks;
};

/// The result of creating a pod with dryRun=All. Berth's webhook shows itself by warnings or
/// annotations.
struct WebhookTrial {
  std::string namespace_name;
  /// The API server's message if it rejected the pod; empty if it would have stored it.
  std::string refusal;
  /// The warnings that kubectl would have shown, as Warning headers.
  std::vector<std::string> warnings;
  /// Names of the annotations of the pod as it would have been stored.
  std::vector<std::string> annotations;
};

/// The extender's answer to a filter request about a pod with one device.
struct FilterTrial {
  /// The extender's URL.
  std::string url;
  /// Number of nodes in the request, how many of them fit, and how many were refused with a reason.
  std::size_t asked = 0;
  std::size_t fit = 0;
  std::size_t refused = 0;
  /// The field Error of the answer, or why there was no answer; empty if all went well.
  std::string error;
};

/// The state of one extender's snapshot, by its metrics. Read through the API server's proxy, so
/// doctor needs no connection to the pod.
struct SnapshotFacts {
  /// Name of the extender's pod.
  std::string pod;
  /// Seconds since the extender's view was known to be complete, by the oldest kind. Nothing if it
  /// has not yet listed nodes and pods.
  std::optional<double> age_seconds;
  /// Why the metrics could not be read; empty if they could.
  std::string unreachable;
  /// Number of objects that the extender cannot read.
  double quarantined = 0;
};

/// Who of the controllers leads, by their Lease.
struct LeaderFacts {
  /// Name of the Lease, and whether it exists.
  std::string lease;
  bool exists = false;
  /// The pod that holds it; empty if none does.
  std::string holder;
  /// When the holder last renewed it, by the holder's clock.
  model::Time renewed = model::kNoTime;
};

/// Whether somebody has a permission that they need.
struct RightFacts {
  /// "system:serviceaccount:berth-system:berth-controller"; empty for the person who runs doctor.
  std::string user;
  /// The permission in words: "patch nodes", "update leases in berth-system".
  std::string what;
  bool allowed = false;
};

/// The state of facts that nobody has gathered.
inline absl::Status NotGathered() { return absl::InternalError("was not gathered"); }

/// Everything that is known about the cluster. Each source has a field, which is an error if the
/// source was not asked or could not be read. FAILED_PRECONDITION means that the user did not want
/// it to be asked, PERMISSION_DENIED that the user lacks a right.
struct Facts {
  /// The time by which certificates are judged.
  model::Time now = model::kNoTime;
  /// The namespace in which the chart is installed, and the name that its objects begin with.
  std::string namespace_name;
  std::string fullname;

  /// kScheduler.
  absl::StatusOr<SchedulerConfig> scheduler = NotGathered();
  /// kService.
  absl::StatusOr<ServiceFacts> service = NotGathered();
  /// kSecrets: the extender's first, then the webhook's, then those of clients.
  absl::StatusOr<std::vector<SecretFacts>> secrets = NotGathered();
  /// kWebhooks: the mutating configuration, then the validating one.
  absl::StatusOr<std::vector<WebhookConfigurationFacts>> webhooks = NotGathered();
  /// kNamespaces.
  absl::StatusOr<std::vector<NamespaceFacts>> namespaces = NotGathered();
  /// kNodes.
  absl::StatusOr<std::vector<model::Node>> nodes = NotGathered();
  /// Of kNodes: the names of nodes of which Berth's controller has written a label that they still
  /// have. They joined without that label, or with another value.
  std::set<std::string> labelled_late;
  /// kPods, of all namespaces.
  absl::StatusOr<std::vector<PodFacts>> pods = NotGathered();
  /// Nodes and pods that cannot be read. `nodes` and `pods` do not contain them.
  std::vector<kube::UnreadableObject> unreadable;
  /// kClaims, of all namespaces.
  absl::StatusOr<std::vector<ClaimFacts>> claims = NotGathered();
  /// kClasses; empty if the API server does not know DeviceClasses.
  absl::StatusOr<std::vector<DeviceClassFacts>> device_classes = NotGathered();
  /// kDaemonSets, of all namespaces.
  absl::StatusOr<std::vector<DaemonSetFacts>> daemon_sets = NotGathered();
  /// kWebhookTrial and kFilterTrial.
  absl::StatusOr<WebhookTrial> webhook_trial = NotGathered();
  absl::StatusOr<FilterTrial> filter_trial = NotGathered();
  /// kSnapshots: one element for each extender pod.
  absl::StatusOr<std::vector<SnapshotFacts>> snapshots = NotGathered();
  /// kLeader.
  absl::StatusOr<LeaderFacts> leader = NotGathered();
  /// kPodGroups: whether they are served, if the planner needs them; else true.
  absl::StatusOr<bool> pod_groups = NotGathered();
  /// kRights.
  absl::StatusOr<std::vector<RightFacts>> rights = NotGathered();

  /// OK if the source's facts are there, and otherwise the error in its field.
  absl::Status StatusOf(Source source) const;
};

/// The user name of a service account at the API server:
/// "system:serviceaccount:<namespace>:<name>".
std::string ServiceAccountUser(const std::string& namespace_name, const std::string& name);

// Names of objects that the chart creates, by `facts.fullname`.
std::string ExtenderService(const Facts& facts);
std::string ExtenderSecret(const Facts& facts);
std::string AdmissionSecret(const Facts& facts);

/// The name that the objects of a release begin with: "<release>", or "<release>-berth" if the
/// release's name does not contain "berth". The chart's templates use the same rule.
std::string FullnameOf(const std::string& release);

}  // namespace berth::doctor
