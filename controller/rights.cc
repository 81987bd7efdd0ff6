#include "controller/rights.h"

#include <vector>

#include "checks/condition_writer.h"
#include "checks/pod_calls.h"
#include "cluster/feed.h"
#include "controller/certificate_keeper.h"
#include "controller/fault_teller.h"
#include "controller/gang_evictor.h"
#include "controller/idle_pods.h"
#include "controller/lease_store.h"
#include "controller/lost_pod_deleter.h"
#include "controller/owner_keeper.h"
#include "controller/patcher.h"
#include "controller/pod_groups.h"
#include "controller/scheduler_leases.h"

#include "controller/pod_evictor.h"
namespace berth::controller {

namespace {

constexpr char kRole[] = "berth-controller";
constexpr char kLeasesRole[] = "berth-controller-leases";

// Whether it makes pods that tell of nodes.
bool RunsChecks(const ControllerConfig& config, const planner::PlannerConfig& planner) {
  return !config.active_checks.empty() || RunsPreflights(planner);
}

std::vector<kube::Grant> InTheCluster(const ControllerConfig& config,
                                      const planner::PlannerConfig& planner) {
  std::vector<kube::Grant> grants;
  kube::Allow(cluster::kFeedPermissions, {}, grants);
  kube::Allow(kPatchPermissions, {}, grants);
  if (!config.certificates.webhooks.empty()) {
    kube::Allow(kWebhookPermissions, config.certificates.webhooks, grants);
  }
  if (!planner.schedulers.empty()) kube::Allow(kNominatePermissions, {}, grants);
  if (PlansGangs(planner)) kube::Allow(kGangPermissions, {}, grants);
  if (planner.gangs.pod_groups) kube::Allow(kPodGroupPermissions, {}, grants);
  if (!config.evict.empty()) kube::Allow(kEvictPermissions, {}, grants);
  if (config.events) kube::Allow(kFaultEventPermissions, {}, grants);
  if (config.idle.enabled && config.idle.events) kube::Allow(kIdleEventPermissions, {}, grants);
  if (config.idle.evicts()) kube::Allow(kIdleEvictPermissions, {}, grants);
  if (config.lost_nodes.enabled()) kube::Allow(kLostPodPermissions, {}, grants);
  if (RunsChecks(config, planner)) kube::Allow(checks::kConditionPermissions, {}, grants);
  return grants;
}

void AllowCertificates(const CertificatesConfig& config, std::vector<kube::Grant>& grants) {
  std::vector<std::string> secrets = SecretsOf(config);
  secrets.push_back(config.authority.secret);
  std::vector<std::string> services;
  for (const ServerCertificateConfig& server : config.servers) {
    if (!server.service.empty()) services.push_back(server.service);
  }
  kube::Allow(kSecretPermissions, secrets, grants);
  if (!services.empty()) kube::Allow(kServicePermissions, services, grants);
}

std::vector<kube::Grant> InTheNamespace(const ControllerConfig& config,
                                        const planner::PlannerConfig& planner) {
  std::vector<kube::Grant> grants;
  kube::Allow(kLeasePermissions, {config.lease.name}, grants);
  if (RunsChecks(config, planner)) kube::Allow(checks::kCheckPodPermissions, {}, grants);
  if (!config.certificates.servers.empty()) AllowCertificates(config.certificates, grants);
  if (!config.owner.empty()) kube::Allow(kOwnerPermissions, {config.owner}, grants);
  if (!config.owned_leases.empty()) {
    kube::Allow(kOwnedLeasePermissions, config.owned_leases, grants);
  }
  return grants;
}

std::map<std::string, std::vector<kube::Grant>> OnLeases(const planner::PlannerConfig& planner) {
  std::map<std::string, std::vector<kube::Grant>> grants;
  if (!PlansGangs(planner)) return grants;
  for (const model::NamespacedName& lease : planner.gangs.scheduler_leases) {
    kube::Allow(kSchedulerLeasePermissions, {lease.name}, grants[lease.namespace_]);
  }
  return grants;
}

}  // namespace

ControllerGrants GrantsOf(const ControllerConfig& config, const planner::PlannerConfig& planner) {
  return {.in_cluster = InTheCluster(config, planner),
          .in_namespace = InTheNamespace(config, planner),
          .elsewhere = OnLeases(planner)};
}

std::string ControllerRolesYaml(const ControllerConfig& config,
                                const planner::PlannerConfig& planner,
                                const std::string& namespace_name) {
  const ControllerGrants grants = GrantsOf(config, planner);
  std::string roles = kube::ClusterRoleYaml(kRole, grants.in_cluster) + "---\n" +
                      kube::RoleYaml(kRole, namespace_name, grants.in_namespace);
  for (const auto& [elsewhere, allowed] : grants.elsewhere) {
    roles += "---\n" + kube::RoleYaml(kLeasesRole, elsewhere, allowed);
  }
  return roles;
}

}  // namespace berth::controller
