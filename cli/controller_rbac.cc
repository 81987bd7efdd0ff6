#include "cli/controller_rbac.h"

#include <vector>

#include "cluster/feed.h"
#include "controller/certificate_keeper.h"
#include "controller/lease_store.h"
#include "controller/owner_keeper.h"
#include "controller/patcher.h"

namespace berth::cli {

namespace {

constexpr char kRole[] = "berth-controller";

std::vector<Grant> InTheCluster(const CertificatesConfig& certificates) {
  std::vector<Grant> grants;
  Allow(cluster::kFeedPermissions, {}, grants);
  Allow(controller::kPatchPermissions, {}, grants);
  if (!certificates.webhooks.empty()) {
    Allow(controller::kWebhookPermissions, certificates.webhooks, grants);
  }
  return grants;
}

void AllowCertificates(const CertificatesConfig& config, std::vector<Grant>& grants) {
  std::vector<std::string> secrets = SecretsOf(config);
  secrets.push_back(config.authority.secret);
  std::vector<std::string> services;
  for (const ServerCertificateConfig& server : config.servers) {
    if (!server.service.empty()) services.push_back(server.service);
  }
  Allow(controller::kSecretPermissions, secrets, grants);
  if (!services.empty()) Allow(controller::kServicePermissions, services, grants);
}

std::vector<Grant> InTheNamespace(const ControllerConfig& config) {
  std::vector<Grant> grants;
  Allow(controller::kLeasePermissions, {config.lease.name}, grants);
  if (!config.certificates.servers.empty()) AllowCertificates(config.certificates, grants);
  if (!config.owner.empty()) Allow(controller::kOwnerPermissions, {config.owner}, grants);
  if (!config.owned_leases.empty()) {
    Allow(controller::kOwnedLeasePermissions, config.owned_leases, grants);
  }
  return grants;
}

}  // namespace

ControllerGrants GrantsOf(const ControllerConfig& config) {
  return {.in_cluster = InTheCluster(config.certificates), .in_namespace = InTheNamespace(config)};
}

std::string ControllerRolesYaml(const ControllerConfig& config, const std::string& namespace_name) {
  const ControllerGrants grants = GrantsOf(config);
  return ClusterRoleYaml(kRole, grants.in_cluster) + "---\n" +
         RoleYaml(kRole, namespace_name, grants.in_namespace);
}

}  // namespace berth::cli
