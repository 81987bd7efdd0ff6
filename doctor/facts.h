#pragma once

#include <absl/status/statusor.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "certs/certificate.h"
#include "doctor/scheduler_config.h"
#include "doctor/selector.h"
#include "kube/unreadable_object.h"
#include "model/node.h"
#include "model/resources.h"
#include "model/time.h"

// What is known of a cluster, as plain values: everything that checks judge. Gatherers fill it in.

namespace berth::doctor {

/// Where facts come from. Checks name what they need, and only that is asked for.
enum class Source {
  kScheduler,     // kube-scheduler's configuration
  kService,       // the extender's Service
  kSecrets,       // what servers and their clients show: Secrets with certificates
  kWebhooks,      // the two webhook configurations
  kNamespaces,    // their labels
  kNodes,         //
  kPods,          //
  kClaims,        // PersistentVolumeClaims
  kClasses,       // DeviceClasses
  kWebhookTrial,  // a pod created with dryRun=All
  kFilterTrial,   // a filter request to the extender
  kSnapshots,     // metrics of the extenders
  kRights,        // what this person and Berth's service accounts may do
};

/// A pod that has not ended.
struct PodFacts {
  std::string namespace_name;
  std::string name;
  /// Empty while it waits.
  std::string node;
  std::string scheduler;
  /// Whether it came with spec.nodeName, so that no scheduler was asked.
  bool created_bound = false;
  /// Kind of its controller: "DaemonSet"; empty where it has none.
  std::string owner;
  /// A static pod of its node.
  bool mirror = false;
  model::Resources requests;
  /// Annotations accelerator-memory and checkpoint.
  std::string memory_minimum;
  std::string checkpoint;
  /// Null: it goes to every node. Pods of one shape share it.
  std::shared_ptr<const NodeNeeds> needs;

  std::string FullName() const { return namespace_name + "/" + name; }
};

struct NamespaceFacts {
  std::string name;
  model::StringMap labels;
};

struct ClaimFacts {
  std::string namespace_name;
  std::string name;
  std::vector<std::string> access_modes;
};

/// k8s.io/api/resource/v1/types.go (v0.36.3).
struct DeviceClassFacts {
  std::string name;
  /// extendedResourceName: pods that ask for this resource get devices of the class. Empty: none.
  std::string resource;
};

struct ServiceFacts {
  std::string name;
  /// Without "None".
  std::vector<std::string> cluster_ips;
};

/// A Secret that a server mounts, or a client of one; its key is not kept.
struct SecretFacts {
  std::string name;
  bool exists = false;
  /// tls.crt and ca.crt.
  std::string chain;
  std::string authorities;
  certs::Usage usage = certs::Usage::kServer;
};

/// One webhook of a configuration.
struct WebhookFacts {
  std::string name;
  std::string authorities;  // PEM; empty: the system's
  std::string failure_policy;
  LabelSelector namespaces;
  /// Name of the Service; empty: it is reached by a URL.
  std::string service;
};

struct WebhookConfigurationFacts {
  /// "MutatingWebhookConfiguration" or "ValidatingWebhookConfiguration".
  std::string kind;
  bool exists = false;
  std::vector<WebhookFacts> webhooks;
};

/// What became of a pod that was created with dryRun=All.
struct WebhookTrial {
  std::string namespace_name;
  /// Empty: it would have been stored. Else what the API server said.
  std::string refusal;
  /// What kubectl would have shown beside.
  std::vector<std::string> warnings;
  /// Names of its annotations, as it would have been stored.
  std::vector<std::string> annotations;
};

/// What the extender answered to filter.
struct FilterTrial {
  std::string url;
  std::size_t asked = 0;
  std::size_t fit = 0;
  /// Those of them that have a reason.
  std::size_t refused = 0;
  /// What its field Error says.
  std::string error;
};

/// One extender, by its metrics.
struct SnapshotFacts {
  std::string pod;
  /// Nothing: it has not listed nodes and pods yet.
  std::optional<double> age_seconds;
  /// Why it could not be asked; empty: it was.
  std::string unreachable;
  /// Objects that it cannot read.
  double quarantined = 0;
};

/// Something that somebody has to be allowed to do.
struct RightFacts {
  /// "system:serviceaccount:berth-system:berth-controller"; empty: who runs doctor.
  std::string user;
  /// "patch nodes", "update leases in berth-system".
  std::string what;
  bool allowed = false;
};

/// Of facts that nobody has gathered.
inline absl::Status NotGathered() { return absl::InternalError("was not asked for"); }

/// Everything that is known. What was not asked for, or could not be read, is an error.
struct Facts {
  model::Time now = model::kNoTime;
  /// Where the chart is installed, and the name that its objects begin with.
  std::string namespace_name;
  std::string fullname;

  absl::StatusOr<SchedulerConfig> scheduler = NotGathered();
  absl::StatusOr<ServiceFacts> service = NotGathered();
  absl::StatusOr<std::vector<SecretFacts>> secrets = NotGathered();
  absl::StatusOr<std::vector<WebhookConfigurationFacts>> webhooks = NotGathered();
  absl::StatusOr<std::vector<NamespaceFacts>> namespaces = NotGathered();
  absl::StatusOr<std::vector<model::Node>> nodes = NotGathered();
  absl::StatusOr<std::vector<PodFacts>> pods = NotGathered();
  /// Nodes and pods that cannot be read; they are not among these.
  std::vector<kube::UnreadableObject> unreadable;
  absl::StatusOr<std::vector<ClaimFacts>> claims = NotGathered();
  absl::StatusOr<std::vector<DeviceClassFacts>> device_classes = NotGathered();
  absl::StatusOr<WebhookTrial> webhook_trial = NotGathered();
  absl::StatusOr<FilterTrial> filter_trial = NotGathered();
  absl::StatusOr<std::vector<SnapshotFacts>> snapshots = NotGathered();
  absl::StatusOr<std::vector<RightFacts>> rights = NotGathered();

  /// Whether a source gave its facts, and if not why.
  absl::Status StatusOf(Source source) const;
};

/// "system:serviceaccount:<namespace>:<name>", as the API server calls a service account.
std::string ServiceAccountUser(const std::string& namespace_name, const std::string& name);

// Names of the chart's objects.
std::string ExtenderService(const Facts& facts);
std::string ExtenderSecret(const Facts& facts);
std::string AdmissionSecret(const Facts& facts);

/// "<release>", or "<release>-berth" where that lacks "berth".
std::string FullnameOf(const std::string& release);

}  // namespace berth::doctor
