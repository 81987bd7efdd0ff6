#pragma once

#include <chrono>
#include <string>
#include <vector>

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
        "Where the Lease is, and everything else that the controller reads or makes by name; "
        "empty: the namespace of the pod that it runs in. Must be set where kubernetes.kubeconfig "
        "is");
  visit("name", config.name, "Controllers of one name compete, and one of them leads");
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
  visit("secret", config.secret, "Secret with its certificate and key, which no server mounts");
  visit("validity", config.validity,
        "How long an authority is good for, at least three times the validity of what it signs. "
        "The next one is made when two thirds have passed, and both are trusted until the former "
        "ends");
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
        "Service that leads to the server: its names and its cluster IPs are in the certificate");
  visit("hosts", config.hosts, "Further names and IP addresses that clients know the server by");
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
                 "DNS name in the certificate, by which people know the client");
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
        "How long a server's certificate is good for; it is renewed when two thirds have passed. "
        "10s or more, and hours outside of tests: kubelet takes minutes to bring a changed Secret "
        "into a pod");
  visit("servers", config.servers,
        "Servers whose certificates the controller makes and renews; none: it makes no "
        "certificates");
  visit("clients", config.clients,
        "Clients that show these servers a certificate of the authority, where extender.tls, "
        "admission.tls or grpc.tls has its ca.crt as clientCAFile");
  visit("webhooks", config.webhooks,
        "Names of the Mutating- and ValidatingWebhookConfigurations whose caBundles are kept "
        "equal to what the authority says");
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

  friend bool operator==(const ControllerConfig&, const ControllerConfig&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, ControllerConfig& config) {
  visit("lease", config.lease, "The Lease by which one of several controllers is elected");
  visit("owner", config.owner,
        "ConfigMap in the Lease's namespace that becomes the owner of the Secrets that the "
        "controller makes, and of its Lease, so that they go when it goes; empty: none");
  visit("ownedLeases", config.owned_leases,
        "Names of further Leases that get the same owner, if they exist");
  visit("certificates", config.certificates, "Certificates of Berth's servers, made and renewed");
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
