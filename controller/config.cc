#include "controller/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "kube/name_lookup.h"
#include "model/duration.h"
#include "model/label.h"

namespace berth::controller {

namespace {

using Errors = std::vector<model::FieldError>;

constexpr std::string_view kCertificates = "controller.certificates";

// Certificates with a shorter life would expire before servers and clients have read them.
constexpr model::Duration kLeastValidity{10};
// The next authority is made when two thirds of an authority's life have passed. The last
// certificate that it signed must end within the remaining third.
constexpr int kLeavesPerAuthority = 3;
// X.509 has no years above 9999, and nobody needs a century.
constexpr model::Duration kMostValidity = std::chrono::hours(24 * 365 * 100);

// About as long as kube-controller-manager itself waits before it calls a silent node not Ready
// (--node-monitor-grace-period, 50 s). Whoever waits less acts on a hiccup.
constexpr model::Duration kLeastForceDelete = std::chrono::minutes(1);

// A condition that lasts for less is more likely a slip of its detector than a fault.
constexpr model::Duration kLeastWait = std::chrono::minutes(1);

void RequireName(const std::string& path, const std::string& name, std::string_view example,
                 Errors& errors) {
  if (model::IsDnsSubdomain(name)) return;
  errors.push_back({path, fmt::format("\"{}\" is not the name of an object; write one such as {}",
                                      name, example)});
}

std::string ItemPath(std::string_view list, std::size_t index) {
  return fmt::format("{}[{}]", list, index);
}

void ValidateLease(const LeaseConfig& lease, Errors& errors) {
  const std::string& in = lease.namespace_name;
  if (!in.empty() && !model::IsDnsLabel(in)) {
    errors.push_back({"controller.lease.namespace",
                      fmt::format("\"{}\" is not the name of a namespace; write one such as "
                                  "berth-system",
                                  in)});
  }
  RequireName("controller.lease.name", lease.name, "berth-controller", errors);
}

void ValidateOwner(const ControllerConfig& config, Errors& errors) {
  if (!config.owner.empty()) RequireName("controller.owner", config.owner, "berth", errors);
  if (config.owner.empty() && !config.owned_leases.empty()) {
    errors.push_back(
        {"controller.ownedLeases", "has no effect without controller.owner; set both"});
  }
  for (std::size_t i = 0; i < config.owned_leases.size(); ++i) {
    const std::string path = ItemPath("controller.ownedLeases", i);
    RequireName(path, config.owned_leases[i], "berth-scheduler", errors);
    // If another writer changed the controller's own Lease, the controller would lose its lead.
    if (config.owned_leases[i] == config.lease.name) {
      errors.push_back({path, "is controller.lease.name, which gets the owner anyway; remove it"});
    }
  }
}

// A text that looks like an IPv4 address has the form of a domain name, too.
bool IsHost(const std::string& text) {
  if (kube::IsIpLiteral(text)) return true;
  const std::string last = text.substr(text.rfind('.') + 1);
  const bool number = std::all_of(last.begin(), last.end(), [](char character) {
    return character >= '0' && character <= '9';
  });
  return model::IsDnsSubdomain(text) && !number;
}

void ValidateServer(const std::string& path, const ServerCertificateConfig& server,
                    Errors& errors) {
  RequireName(path + ".secret", server.secret, "berth-admission-tls", errors);
  if (!server.service.empty() && !model::IsDnsLabel(server.service)) {
    errors.push_back(
        {path + ".service", fmt::format("\"{}\" is not the name of a Service; write one such as "
                                        "berth-admission",
                                        server.service)});
  }
  if (server.service.empty() && server.hosts.empty()) {
    errors.push_back({path,
                      "has neither service nor hosts; write the Service or the hosts by which "
                      "clients reach the server"});
  }
  for (std::size_t i = 0; i < server.hosts.size(); ++i) {
    if (IsHost(server.hosts[i])) continue;
    errors.push_back({ItemPath(path + ".hosts", i),
                      fmt::format("\"{}\" is neither a DNS name nor an IP address; write one such "
                                  "as localhost, 127.0.0.1 or \"::1\"",
                                  server.hosts[i])});
  }
}

void ValidateClient(const std::string& path, const ClientCertificateConfig& client,
                    Errors& errors) {
  RequireName(path + ".secret", client.secret, "berth-scheduler-tls", errors);
  RequireName(path + ".name", client.name, "berth-scheduler", errors);
}

void RequireUntaken(const std::string& path, const std::string& secret,
                    std::set<std::string>& taken, Errors& errors) {
  if (taken.insert(secret).second) return;
  errors.push_back(
      {path + ".secret",
       fmt::format("\"{}\" already holds another certificate; write another name", secret)});
}

void ValidateServersAndClients(const CertificatesConfig& config, Errors& errors) {
  std::set<std::string> taken{config.authority.secret};
  for (std::size_t i = 0; i < config.servers.size(); ++i) {
    const std::string path = ItemPath(fmt::format("{}.servers", kCertificates), i);
    ValidateServer(path, config.servers[i], errors);
    RequireUntaken(path, config.servers[i].secret, taken, errors);
  }
  const std::string clients = fmt::format("{}.clients", kCertificates);
  if (config.servers.empty() && !config.clients.empty()) {
    errors.push_back(
        {clients, fmt::format("has no effect without {}.servers; set both", kCertificates)});
  }
  for (std::size_t i = 0; i < config.clients.size(); ++i) {
    ValidateClient(ItemPath(clients, i), config.clients[i], errors);
    RequireUntaken(ItemPath(clients, i), config.clients[i].secret, taken, errors);
  }
}

void ValidateValidity(const CertificatesConfig& config, Errors& errors) {
  if (config.validity < kLeastValidity || config.validity > kMostValidity) {
    errors.push_back(
        {fmt::format("{}.validity", kCertificates),
         fmt::format("must be from {} to {}, got {}; write 2160h for 90 days",
                     model::FormatDuration(kLeastValidity), model::FormatDuration(kMostValidity),
                     model::FormatDuration(config.validity))});
    return;
  }
  const model::Duration least = kLeavesPerAuthority * config.validity;
  if (config.authority.validity < least || config.authority.validity > kMostValidity) {
    errors.push_back(
        {fmt::format("{}.authority.validity", kCertificates),
         fmt::format(
             "must be from {}, three times {}.validity, to {}, got {}; write 87600h for ten years",
             model::FormatDuration(least), kCertificates, model::FormatDuration(kMostValidity),
             model::FormatDuration(config.authority.validity))});
  }
}

void ValidateWebhooks(const CertificatesConfig& config, Errors& errors) {
  const std::string path = fmt::format("{}.webhooks", kCertificates);
  if (config.servers.empty() && !config.webhooks.empty()) {
    errors.push_back(
        {path, fmt::format("has no effect without {}.servers; set both", kCertificates)});
  }
  for (std::size_t i = 0; i < config.webhooks.size(); ++i) {
    RequireName(ItemPath(path, i), config.webhooks[i], "berth", errors);
  }
}

void ValidateCertificates(const CertificatesConfig& config, Errors& errors) {
  RequireName(fmt::format("{}.authority.secret", kCertificates), config.authority.secret,
              "berth-ca", errors);
  ValidateServersAndClients(config, errors);
  ValidateValidity(config, errors);
  ValidateWebhooks(config, errors);
}

void ValidateLostNodes(const LostNodesConfig& config, Errors& errors) {
  const model::Duration after = config.force_delete_after;
  if (after != model::Duration(0) && after < kLeastForceDelete) {
    errors.push_back(
        {"controller.lostNodes.forceDeleteAfter",
         fmt::format("must be 0s, for never, or at least {}, got {}; write 15m",
                     model::FormatDuration(kLeastForceDelete), model::FormatDuration(after))});
  }
  if (!(config.max_share > 0 && config.max_share <= 1)) {
    errors.push_back({"controller.lostNodes.maxShare",
                      fmt::format("must be above 0 and at most 1, got {}; write 0.1 for a tenth of "
                                  "the nodes",
                                  config.max_share)});
  }
}

void ValidateEvict(const EvictConfig& evict, const std::string& path, Errors& errors) {
  if (evict.condition.empty()) {
    errors.push_back(
        {path + ".condition", "must name a condition that excludes nodes, such as GPUIsLost"});
  }
  if (evict.after < kLeastWait) {
    errors.push_back({path + ".after", fmt::format("must be at least {}, got {}; write 10m",
                                                   model::FormatDuration(kLeastWait),
                                                   model::FormatDuration(evict.after))});
  }
  if (evict.per_minute < 1) {
    errors.push_back({path + ".perMinute",
                      fmt::format("must be 1 or more, got {}; remove the item to evict nothing",
                                  evict.per_minute)});
  }
  if (!(evict.max_share > 0 && evict.max_share <= 1)) {
    errors.push_back({path + ".maxShare",
                      fmt::format("must be above 0 and at most 1, got {}; write 0.1 for a tenth of "
                                  "an accelerator's nodes",
                                  evict.max_share)});
  }
}

void ValidateRunningPods(const ControllerConfig& config, Errors& errors) {
  std::set<std::string> conditions;
  for (std::size_t i = 0; i < config.evict.size(); ++i) {
    const std::string path = ItemPath("controller.evict", i);
    ValidateEvict(config.evict[i], path, errors);
    if (conditions.insert(config.evict[i].condition).second) continue;
    errors.push_back({path + ".condition", fmt::format("\"{}\" is listed before; remove one",
                                                       config.evict[i].condition)});
  }
  if (config.avoid_for != model::Duration(0) && config.avoid_for < kLeastWait) {
    errors.push_back(
        {"controller.avoidFor",
         fmt::format("must be 0s, for not at all, or at least {}, got {}; write 1h",
                     model::FormatDuration(kLeastWait), model::FormatDuration(config.avoid_for))});
  }
}

void ValidateRepair(const RepairConfig& config, Errors& errors) {
  if (config.max_share > 0 && config.max_share <= 1) return;
  errors.push_back({"controller.repair.maxShare",
                    fmt::format("must be above 0 and at most 1, got {}; write 0.1 for a tenth of "
                                "an accelerator's nodes",
                                config.max_share)});
}

void ValidateIdle(const IdlePodsConfig& config, Errors& errors) {
  constexpr model::Duration kMostEvery = std::chrono::hours(24);
  if (config.every < kLeastWait || config.every > kMostEvery) {
    errors.push_back(
        {"controller.idle.every",
         fmt::format("must be from {} to {}, got {}; write 5m", model::FormatDuration(kLeastWait),
                     model::FormatDuration(kMostEvery), model::FormatDuration(config.every))});
  }
  const model::Duration grace = config.evict_notebooks_after;
  if (grace != model::Duration(0) && grace < kLeastWait) {
    errors.push_back(
        {"controller.idle.evictNotebooksAfter",
         fmt::format("must be 0s, for never, or at least {}, got {}; write 24h",
                     model::FormatDuration(kLeastWait), model::FormatDuration(grace))});
  }
  if (grace != model::Duration(0) && !config.events) {
    errors.push_back({"controller.idle.events",
                      "must be true with evictNotebooksAfter: nobody is evicted untold"});
  }
  if (config.min_age < model::Duration(0)) {
    errors.push_back({"controller.idle.minAge", "must not be negative; write 8h"});
  }
  if (config.per_minute < 1) {
    errors.push_back(
        {"controller.idle.perMinute",
         fmt::format("must be 1 or more, got {}; write evictNotebooksAfter: 0s to evict nothing",
                     config.per_minute)});
  }
}

}  // namespace

std::vector<model::FieldError> Validate(const ControllerConfig& config) {
  Errors errors;
  ValidateLease(config.lease, errors);
  ValidateOwner(config, errors);
  ValidateCertificates(config.certificates, errors);
  ValidateLostNodes(config.lost_nodes, errors);
  for (model::FieldError& error : checks::Validate(config.active_checks, config.check_pods)) {
    errors.push_back(std::move(error));
  }
  ValidateRunningPods(config, errors);
  ValidateRepair(config.repair, errors);
  ValidateIdle(config.idle, errors);
  return errors;
}

}  // namespace berth::controller
