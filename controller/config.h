#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "checks/config.h"
#include "model/config_field.h"
#include "model/time.h"

namespace berth::controller {

/// The Lease for which controllers compete: `controller.lease`. The texts in VisitFields() explain
/// each field; the generated docs/configuration.md has them, too.
struct LeaseConfig {
  /// Empty: the namespace of the pod in which the controller runs.
  std::string namespace_name;
  std::string name = "berth-controller";

  friend bool operator==(const LeaseConfig&, const LeaseConfig&) = default;
};

/// Calls `visit` for each field, with its name in the file and the text that documents it; see
/// model/config_field.h. So do the functions of the same name below.
template <typename Visitor>
void VisitFields(Visitor& visit, LeaseConfig& config) {
  visit("namespace", config.namespace_name,
        "Namespace of the Lease, and of all other objects that the controller reads or makes by "
        "name; empty: the namespace of its pod. Required if kubernetes.kubeconfig is set");
  visit("name", config.name, "Controllers with the same Lease name elect one leader");
}

/// The authority that signs certificates: `controller.certificates.authority`.
struct AuthorityConfig {
  std::string secret = "berth-ca";
  /// Ten years by default. At least three times the validity of what the authority signs.
  model::Duration validity = std::chrono::hours(87600);

  friend bool operator==(const AuthorityConfig&, const AuthorityConfig&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, AuthorityConfig& config) {
  visit("secret", config.secret,
        "Secret with the authority's certificate and key; no server mounts it");
  visit("validity", config.validity,
        "How long an authority is valid, at least three times the validity of the certificates "
        "that it signs. The controller makes the next one after two thirds of that time, and both "
        "are trusted until the previous one expires");
}

/// A server whose certificate the controller makes: an item of `controller.certificates.servers`.
/// At least one of `service` and `hosts` must be given.
struct ServerCertificateConfig {
  std::string secret;
  /// Empty: none.
  std::string service;
  std::vector<std::string> hosts;

  friend bool operator==(const ServerCertificateConfig&, const ServerCertificateConfig&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, ServerCertificateConfig& config) {
  visit.Required("secret", config.secret, "Secret with the certificate, its key and ca.crt");
  visit("service", config.service,
        "Service of the server: the certificate has its names and cluster IPs");
  visit("hosts", config.hosts, "Further names and IP addresses for the certificate");
}

/// A client of these servers whose certificate the controller makes: an item of
/// `controller.certificates.clients`.
struct ClientCertificateConfig {
  std::string secret;
  std::string name;

  friend bool operator==(const ClientCertificateConfig&, const ClientCertificateConfig&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, ClientCertificateConfig& config) {
  visit.Required("secret", config.secret, "Secret with the certificate, its key and ca.crt");
  visit.Required("name", config.name,
                 "DNS name in the certificate, by which people recognise the client");
}

/// All certificates that the controller makes: `controller.certificates`. Without servers it makes
/// none.
struct CertificatesConfig {
  AuthorityConfig authority;
  /// Of each certificate that the authority signs; 90 days by default, at least 10 s.
  model::Duration validity = std::chrono::hours(2160);
  std::vector<ServerCertificateConfig> servers;
  /// Needs `servers`; so does `webhooks`.
  std::vector<ClientCertificateConfig> clients;
  std::vector<std::string> webhooks;

  friend bool operator==(const CertificatesConfig&, const CertificatesConfig&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, CertificatesConfig& config) {
  visit("authority", config.authority, "The authority that signs the certificates of servers");
  visit("validity", config.validity,
        "How long a server's certificate is valid; the controller renews it after two thirds of "
        "that time. At least 10s, and hours outside of tests: kubelet takes minutes to update a "
        "Secret in a pod");
  visit("servers", config.servers,
        "Servers whose certificates the controller makes and renews; none: it makes no "
        "certificates");
  visit("clients", config.clients,
        "Clients that present a certificate of the authority to these servers, if extender.tls, "
        "admission.tls or grpc.tls has its ca.crt as clientCAFile");
  visit("webhooks", config.webhooks,
        "Names of Mutating- and ValidatingWebhookConfigurations whose caBundles the controller "
        "keeps up to date with the authority");
}

/// Pods of Jobs on nodes that are lost: `controller.lostNodes`. Off by default.
struct LostNodesConfig {
  /// How long a node must not have been Ready; 0: nothing is deleted. Otherwise at least a minute.
  model::Duration force_delete_after{0};
  /// Above 0, at most 1.
  double max_share = 0.1;

  bool enabled() const { return force_delete_after > model::Duration(0); }

  friend bool operator==(const LostNodesConfig&, const LostNodesConfig&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, LostNodesConfig& config) {
  visit("forceDeleteAfter", config.force_delete_after,
        "If a node has not been Ready for this long, the controller ends the pods there that were "
        "deleted and that a Job changed by job-retries waits for, so that the Job replaces them. "
        "Such a pod may still run if its node has only lost its network. At least 1m; 0s: never");
  visit("maxShare", config.max_share,
        "The controller ends no such pods while more than this share of all nodes, and more than "
        "one node, is not Ready, because then the network is more likely at fault; nor until "
        "forceDeleteAfter has passed since, or since the controller has started to watch. Above 0; "
        "1: always");
}

/// Which nodes may be repaired by others: `controller.repair`. Off by default.
struct RepairConfig {
  bool enabled = false;
  /// Above 0, at most 1.
  double max_share = 0.1;

  friend bool operator==(const RepairConfig&, const RepairConfig&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, RepairConfig& config) {
  visit("enabled", config.enabled,
        "Whether nodes that an Exclude entry of health.conditions keeps pods off get the label "
        "repair=allowed below the configured prefix, by which node-operation-controller selects "
        "what it repairs: never for a condition whose breaker is tripped. With false, the "
        "controller removes the label");
  visit("maxShare", config.max_share,
        "No node of an accelerator has the label while more than this share of its nodes, and more "
        "than one node, is excluded, being repaired, cordoned or not Ready; but nodes that are "
        "being repaired keep it. Above 0; 1: however many");
}

/// Which pods leave the nodes that a condition excludes: an item of `controller.evict`.
struct EvictConfig {
  /// Type of a condition that excludes nodes.
  std::string condition;
  /// At least a minute.
  model::Duration after = std::chrono::minutes(10);
  /// 1 or more.
  std::int32_t per_minute = 6;
  /// Above 0, at most 1.
  double max_share = 0.1;

  friend bool operator==(const EvictConfig&, const EvictConfig&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, EvictConfig& config) {
  visit.Required("condition", config.condition,
                 "Type of a node condition that excludes nodes by an entry of health.conditions or "
                 "of a profile");
  visit("after", config.after,
        "How long the controller must have seen the node excluded, without a break and by its own "
        "clock. At least 1m");
  visit("perMinute", config.per_minute,
        "How many pods are evicted a minute for this condition; the pods of a gang count as one. "
        "1 or more");
  visit("maxShare", config.max_share,
        "At most this share of the nodes of an accelerator is emptied at a time, but always one "
        "node. Above 0; 1: however many");
}

/// What happens to pods that hold devices and do not use them: `controller.idle`. Off by default.
/// Needs the block `prometheus`; the block `idle` says when a device is idle.
struct IdlePodsConfig {
  bool enabled = false;
  /// From a minute to a day.
  model::Duration every = std::chrono::minutes(5);
  bool events = true;
  /// How long a notebook must have been told; 0: none is evicted. Otherwise at least a minute, and
  /// `events` is set.
  model::Duration evict_notebooks_after{0};
  /// Of the pod, not negative.
  model::Duration min_age = std::chrono::hours(8);
  /// 1 or more.
  std::int32_t per_minute = 1;

  bool evicts() const { return enabled && evict_notebooks_after > model::Duration(0); }

  friend bool operator==(const IdlePodsConfig&, const IdlePodsConfig&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, IdlePodsConfig& config) {
  visit("enabled", config.enabled,
        "Whether the controller looks for devices that are held and not used, as idle says, and "
        "exports their number. Needs prometheus.url");
  visit("every", config.every, "How often it looks, 1m to 24h");
  visit("events", config.events,
        "Whether an Event tells of each pod that uses none of its devices, once a day");
  visit("evictNotebooksAfter", config.evict_notebooks_after,
        "How long after the first Event a notebook is evicted that still uses none of its "
        "devices, through the Eviction API, so that PodDisruptionBudgets hold. The annotation "
        "keep-idle-until below the configured prefix puts that off, and what controls the pod may "
        "make it anew. Needs events. At least 1m; 0s: never");
  visit("minAge", config.min_age, "Younger notebooks are not evicted");
  visit("perMinute", config.per_minute, "How many notebooks are evicted a minute, 1 or more");
}

/// What `berth controller` does besides labels and nudges, which need no configuration:
/// `controller`. A plain value.
struct ControllerConfig {
  LeaseConfig lease;
  /// Empty: what the controller makes has no owner.
  std::string owner;
  /// Needs `owner`.
  std::vector<std::string> owned_leases;
  CertificatesConfig certificates;
  LostNodesConfig lost_nodes;
  /// At most one item for a condition. Empty: nothing is evicted.
  std::vector<EvictConfig> evict;
  /// For how long a Job avoids a node on which one of its pods failed; 0: it does not. Otherwise at
  /// least a minute.
  model::Duration avoid_for{0};
  RepairConfig repair;
  IdlePodsConfig idle;
  /// Whether nodes that the health rules exclude get a taint.
  bool taints = false;
  /// Whether Events tell of nodes that the health rules exclude.
  bool events = true;
  /// Checks that run in pods on idle nodes; none by default.
  std::vector<checks::ActiveCheck> active_checks;
  checks::CheckPodsConfig check_pods;

  friend bool operator==(const ControllerConfig&, const ControllerConfig&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, ControllerConfig& config) {
  visit("lease", config.lease, "The Lease that elects a leader among several controllers");
  visit("owner", config.owner,
        "ConfigMap in the Lease's namespace that becomes the owner of the Secrets that the "
        "controller makes, and of its Lease, so that they are deleted with it; empty: none");
  visit("ownedLeases", config.owned_leases,
        "Names of further Leases that get the same owner, if they exist");
  visit("certificates", config.certificates,
        "Certificates of Berth's servers, which the controller makes and renews");
  visit("lostNodes", config.lost_nodes,
        "What happens to pods that hang on nodes that are lost, while their Jobs wait for them");
  visit("evict", config.evict,
        "Conditions for which pods that can go on elsewhere are evicted from the nodes that they "
        "exclude; empty: none are. Nothing is evicted while a breaker is tripped, or while more "
        "than health.breaker.fraction of the nodes of an accelerator is away");
  visit("avoidFor", config.avoid_for,
        "How long the pods of a Job, or of another object that makes pods, come last to a node on "
        "which one of them failed by itself, by the annotation avoid of the node. At least 1m; 0s: "
        "not at all");
  visit("repair", config.repair, "Which nodes another program may repair, and how many at a time");
  visit("idle", config.idle, "What happens to pods that hold devices and do not use them");
  visit("taints", config.taints,
        "Whether nodes that an Exclude entry of health.conditions keeps all pods off get the taint "
        "excluded:NoSchedule below the configured prefix, so that every scheduler leaves them "
        "alone: never for a condition whose breaker is tripped, nor on more than "
        "health.breaker.fraction of the nodes of an accelerator. With false, the controller "
        "removes such taints. Before you set it, `berth doctor` says which DaemonSets have to "
        "tolerate the taint");
  visit(
      "events", config.events,
      "Whether Events tell of nodes that an Exclude entry of health.conditions excludes, and that "
      "are back: one on the node for each transition, and one on each pod that holds devices of "
      "a node that is excluded. At most five a second, and none for a condition whose breaker is "
      "tripped");
  visit("activeChecks", config.active_checks,
        "Checks that the controller runs in pods on nodes whose devices are all idle, and that go "
        "when a pod wants the node. A failure becomes a condition of the node, and the next "
        "success takes it back");
  visit("checkPods", config.check_pods, "What the pods of all these checks have in common");
}

/// Returns the names of the Secrets of servers, then of clients, in the order of the configuration.
/// The authority's is not among them.
inline std::vector<std::string> SecretsOf(const CertificatesConfig& config) {
  std::vector<std::string> secrets;
  for (const ServerCertificateConfig& server : config.servers) secrets.push_back(server.secret);
  for (const ClientCertificateConfig& client : config.clients) secrets.push_back(client.secret);
  return secrets;
}

/// Returns everything that is wrong with `config`; nothing if it can be used. The paths begin at
/// the top of the file ("controller.lease.name"), and each message says what to write instead.
std::vector<model::FieldError> Validate(const ControllerConfig& config);

}  // namespace berth::controller
