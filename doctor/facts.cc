#include "doctor/facts.h"

namespace berth::doctor {

absl::Status Facts::StatusOf(Source source) const {
  switch (source) {
    case Source::kScheduler:
      return scheduler.status();
    case Source::kService:
      return service.status();
    case Source::kSecrets:
      return secrets.status();
    case Source::kWebhooks:
      return webhooks.status();
    case Source::kNamespaces:
      return namespaces.status();
    case Source::kNodes:
      return nodes.status();
    case Source::kPods:
      return pods.status();
    case Source::kClaims:
      return claims.status();
    case Source::kClasses:
      return device_classes.status();
    case Source::kDaemonSets:
      return daemon_sets.status();
    case Source::kWebhookTrial:
      return webhook_trial.status();
    case Source::kFilterTrial:
      return filter_trial.status();
    case Source::kSnapshots:
      return snapshots.status();
    case Source::kPodGroups:
      return pod_groups.status();
    case Source::kLeader:
      return leader.status();
    case Source::kRights:
      return rights.status();
  }
  return absl::InternalError("no such source");
}

std::string ServiceAccountUser(const std::string& namespace_name, const std::string& name) {
  return "system:serviceaccount:" + namespace_name + ":" + name;
}

std::string ExtenderService(const Facts& facts) { return facts.fullname + "-extender"; }

std::string ExtenderSecret(const Facts& facts) { return facts.fullname + "-extender-tls"; }

std::string AdmissionSecret(const Facts& facts) { return facts.fullname + "-admission-tls"; }

std::string FullnameOf(const std::string& release) {
  return release.find("berth") == std::string::npos ? release + "-berth" : release;
}

}  // namespace berth::doctor
