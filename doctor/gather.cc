#include "doctor/gather.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "server/address.h"

namespace berth::doctor {

namespace {

constexpr const char* kWebhooks = "admissionregistration.k8s.io";

absl::StatusOr<std::vector<SecretFacts>> GatherSecrets(kube::Api& api, const Facts& facts,
                                                       const Rules& rules) {
  std::vector<std::pair<std::string, certs::Usage>> wanted = {
      {ExtenderSecret(facts), certs::Usage::kServer},
      {AdmissionSecret(facts), certs::Usage::kServer}};
  for (const controller::ClientCertificateConfig& client :
       rules.config.controller.certificates.clients) {
    wanted.emplace_back(client.secret, certs::Usage::kClient);
  }
  std::vector<SecretFacts> secrets;
  for (const auto& [name, usage] : wanted) {
    auto secret = GatherSecret(api, facts.namespace_name, name);
    if (!secret.ok()) return secret.status();
    secret->usage = usage;
    secrets.push_back(*std::move(secret));
  }
  return secrets;
}

std::string MetricsPort(const config::BerthConfiguration& config) {
  const auto address = server::ParseAddress(config.metrics.listen);
  return address.ok() ? std::to_string(address->port) : "9090";
}

absl::StatusOr<FilterTrial> TryFilterOf(const ExtenderAccess& extender, kube::Api& api,
                                        const Rules& rules, Facts& facts) {
  if (extender.transport == nullptr) {
    return absl::FailedPreconditionError(
        "the extender was not called: give --extender https://HOST:PORT that can be reached from "
        "here");
  }
  if (!facts.nodes.ok()) {
    facts.nodes = GatherNodes(api, facts.unreadable, facts.labelled_late);
  }
  if (!facts.nodes.ok()) return facts.nodes.status();
  return TryFilter(extender, *facts.nodes, rules.catalog);
}

}  // namespace

std::vector<kube::Need> NeedsOf(Source source, const Place& place) {
  const std::string& own = place.namespace_name;
  switch (source) {
    case Source::kScheduler:
      return {{{"", "configmaps", "get"}, own}};
    case Source::kService:
      return {{{"", "services", "get"}, own}};
    case Source::kSecrets:
      return {{{"", "secrets", "get"}, own}};
    case Source::kWebhooks:
      return {{{kWebhooks, "mutatingwebhookconfigurations", "get"}},
              {{kWebhooks, "validatingwebhookconfigurations", "get"}}};
    case Source::kNamespaces:
      return {{{"", "namespaces", "list"}}};
    case Source::kNodes:
    case Source::kFilterTrial:
      return {{{"", "nodes", "list"}}};
    case Source::kPods:
      return {{{"", "pods", "list"}}};
    case Source::kClaims:
      return {{{"", "persistentvolumeclaims", "list"}}};
    case Source::kClasses:
      return {{{"resource.k8s.io", "deviceclasses", "list"}}};
    case Source::kDaemonSets:
      return {{{"apps", "daemonsets", "list"}}};
    case Source::kWebhookTrial:
      return {{{"", "pods", "create"}, place.trial_namespace}};
    case Source::kSnapshots:
      return {{{"", "pods", "list"}, own}, {{"", "pods/proxy", "get"}, own}};
    case Source::kLeader:
      return {{{"coordination.k8s.io", "leases", "get"}, own}};
    case Source::kPodGroups:
      return {};  // everybody may read which groups are served
    case Source::kRights:
      return {{{"apps", "deployments", "list"}, own},
              {{"authorization.k8s.io", "subjectaccessreviews", "create"}}};
  }
  return {};
}

void Gather(const std::set<Source>& sources, const Questions& questions, const Rules& rules,
            kube::Transport& transport, Facts& facts) {
  const Place& place = questions.place;
  kube::Api api(&transport);
  const auto asks = [&sources](Source source) { return sources.contains(source); };
  if (asks(Source::kService)) {
    facts.service = GatherService(api, facts.namespace_name, ExtenderService(facts));
  }
  if (asks(Source::kSecrets)) facts.secrets = GatherSecrets(api, facts, rules);
  if (asks(Source::kWebhooks)) facts.webhooks = GatherWebhooks(api, facts.fullname);
  if (asks(Source::kNamespaces)) facts.namespaces = GatherNamespaces(api);
  if (asks(Source::kNodes)) {
    facts.nodes = GatherNodes(api, facts.unreadable, facts.labelled_late);
  }
  if (asks(Source::kPods)) facts.pods = GatherPods(api, rules.config.prefix, facts.unreadable);
  if (asks(Source::kClaims)) facts.claims = GatherClaims(api);
  if (asks(Source::kClasses)) facts.device_classes = GatherDeviceClasses(api);
  if (asks(Source::kDaemonSets)) facts.daemon_sets = GatherDaemonSets(api);
  if (asks(Source::kWebhookTrial)) facts.webhook_trial = TryPod(transport, place.trial_namespace);
  if (asks(Source::kFilterTrial)) {
    facts.filter_trial = TryFilterOf(questions.extender, api, rules, facts);
  }
  if (asks(Source::kSnapshots)) {
    facts.snapshots = GatherSnapshots(transport, place, MetricsPort(rules.config));
  }
  if (asks(Source::kLeader)) {
    facts.leader = GatherLeader(api, facts.namespace_name, rules.config.controller.lease.name);
  }
  if (asks(Source::kPodGroups)) {
    const bool needed = rules.config.planner.gangs.pod_groups;
    facts.pod_groups = needed ? GatherPodGroups(api) : absl::StatusOr<bool>(true);
  }
  if (!asks(Source::kRights)) return;
  std::vector<kube::Need> own;
  for (const Source source : sources) {
    std::ranges::move(NeedsOf(source, place), std::back_inserter(own));
  }
  facts.rights = GatherRights(api, questions, own);
}

}  // namespace berth::doctor
