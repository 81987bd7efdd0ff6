#include "doctor/berth_entry.h"

#include <algorithm>

#include "kube/api_config.h"
#include "kube/server_url.h"

namespace berth::doctor {

namespace {

std::vector<std::string> HostsOf(const Facts& facts) {
  const std::string name = ExtenderService(facts);
  const std::string in_namespace = name + "." + facts.namespace_name;
  std::vector<std::string> hosts = {in_namespace, in_namespace + ".svc",
                                    in_namespace + ".svc.cluster.local"};
  if (facts.service.ok()) {
    hosts.insert(hosts.end(), facts.service->cluster_ips.begin(), facts.service->cluster_ips.end());
  }
  return hosts;
}

bool IsAt(const ExtenderEntry& entry, const std::vector<std::string>& hosts) {
  kube::ApiConfig url;
  if (!kube::ParseServerUrl(entry.url_prefix, url).ok()) return false;
  return std::ranges::find(hosts, url.host) != hosts.end();
}

bool ManagesCatalogue(const ExtenderEntry& entry, const model::AcceleratorCatalog& catalog) {
  return std::ranges::any_of(entry.managed_resources, [&catalog](const ManagedResource& resource) {
    return catalog.HasResource(resource.name);
  });
}

}  // namespace

std::optional<std::size_t> BerthEntry(const Facts& facts, const Rules& rules) {
  const std::vector<ExtenderEntry>& entries = facts.scheduler->extenders;
  const auto place = [&entries](auto found) -> std::optional<std::size_t> {
    if (found == entries.end()) return std::nullopt;
    return static_cast<std::size_t>(found - entries.begin());
  };
  const std::vector<std::string> hosts = HostsOf(facts);
  const auto by_url = place(
      std::ranges::find_if(entries, [&hosts](const auto& entry) { return IsAt(entry, hosts); }));
  if (by_url) return by_url;
  return place(std::ranges::find_if(entries, [&rules](const ExtenderEntry& entry) {
    return ManagesCatalogue(entry, rules.catalog);
  }));
}

std::vector<std::string> BerthSchedulers(const Facts& facts, const Rules& rules) {
  std::vector<std::string> names;
  if (!BerthEntry(facts, rules)) return names;
  for (const SchedulerProfile& profile : facts.scheduler->profiles) names.push_back(profile.name);
  return names;
}

}  // namespace berth::doctor
