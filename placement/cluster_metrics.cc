#include "placement/cluster_metrics.h"

#include <prometheus/client_metric.h>
#include <prometheus/metric_family.h>
#include <prometheus/metric_type.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "model/taint.h"
#include "placement/capacity.h"
#include "policies/scheduling/exclusions.h"
#include "policies/scheduling/health.h"
#include "usage/holdings.h"

namespace berth::placement {

namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using Index = model::AcceleratorCatalog::Index;

constexpr std::pair<const char*, cluster::Kind> kKinds[] = {{"nodes", cluster::Kind::kNodes},
                                                            {"pods", cluster::Kind::kPods},
                                                            {"services", cluster::Kind::kServices}};

MetricFamily Gauge(std::string name, std::string help) {
  return {std::move(name), std::move(help), prometheus::MetricType::Gauge, {}};
}

void AddSample(MetricFamily& family, std::vector<ClientMetric::Label> labels, double value) {
  ClientMetric metric;
  metric.label = std::move(labels);
  metric.gauge.value = value;
  family.metric.push_back(std::move(metric));
}

void AddDeviceFamilies(const model::ClusterView& view, const model::AcceleratorCatalog& catalog,
                       std::vector<MetricFamily>& families) {
  MetricFamily nodes = Gauge("berth_nodes", "Nodes by accelerator of the catalogue.");
  MetricFamily devices = Gauge("berth_accelerator_devices",
                               "Devices by accelerator and state: total is capacity, used is "
                               "requested by bound pods, free is allocatable minus used.");
  const std::vector<DeviceTotals> counts = CountDevices(view, catalog);
  for (std::size_t i = 0; i < catalog.size(); ++i) {
    const std::string& name = catalog[static_cast<Index>(i)].name;
    const DeviceTotals& count = counts[i];
    AddSample(nodes, {{"accelerator", name}}, static_cast<double>(count.nodes));
    for (const auto& [state, value] :
         {std::pair{"total", count.total}, std::pair{"used", count.used},
          std::pair{"free", count.free}}) {
      AddSample(devices, {{"accelerator", name}, {"state", state}}, static_cast<double>(value));
    }
  }
  AddSample(nodes, {{"accelerator", "none"}}, static_cast<double>(counts.back().nodes));
  families.push_back(std::move(nodes));
  families.push_back(std::move(devices));
}

MetricFamily UseFamily(const std::vector<usage::DevicesInUse>& in_use) {
  MetricFamily family = Gauge("berth_devices_in_use",
                              "Devices that bound pods request, by the creator and the namespace "
                              "of the pods, and by accelerator.");
  for (const usage::DevicesInUse& each : in_use) {
    AddSample(family,
              {{"creator", each.creator},
               {"namespace", each.namespace_name},
               {"accelerator", each.accelerator}},
              static_cast<double>(each.devices));
  }
  return family;
}

MetricFamily TaintFamily(const model::ClusterView& view, const model::AcceleratorCatalog& catalog,
                         const std::string& key) {
  std::vector<std::size_t> tainted(catalog.size());
  std::size_t others = 0;
  for (model::NodeIndex i = 0; i < view.EndIndex(); ++i) {
    const model::NodeState* const state = view.At(i);
    if (state == nullptr) continue;
    if (model::FindTaint(state->node.taints, key, model::kNoSchedule) == nullptr) continue;
    const bool known = state->accelerator != model::AcceleratorCatalog::kNone;
    ++(known ? tainted[static_cast<std::size_t>(state->accelerator)] : others);
  }
  MetricFamily family =
      Gauge("berth_nodes_tainted", "Nodes that have Berth's taint, by accelerator.");
  for (std::size_t i = 0; i < catalog.size(); ++i) {
    AddSample(family, {{"accelerator", catalog[static_cast<Index>(i)].name}},
              static_cast<double>(tainted[i]));
  }
  AddSample(family, {{"accelerator", "none"}}, static_cast<double>(others));
  return family;
}

std::string Join(const std::vector<std::string>& items) {
  std::string joined;
  for (const std::string& item : items) joined += (joined.empty() ? "" : ",") + item;
  return joined;
}

MetricFamily ConditionFamily(const policies::scheduling::HealthConfig& health,
                             const model::ClusterView& view, model::Time now) {
  MetricFamily family = Gauge("berth_nodes_by_condition",
                              "Nodes that an entry of health.conditions excludes or penalises now, "
                              "and nodes that are recovering from its condition.");
  for (const auto& count : policies::scheduling::CountNodesByCondition(health, view, now)) {
    for (const auto& [effect, nodes] :
         {std::pair{"Exclude", count.excluded}, std::pair{"Penalize", count.penalized},
          std::pair{"Recovering", count.recovering}}) {
      AddSample(family,
                {{"condition", count.condition.type},
                 {"resources", Join(count.condition.resources)},
                 {"effect", effect}},
                static_cast<double>(nodes));
    }
  }
  return family;
}

void AddExclusionFamilies(const std::vector<policies::scheduling::Exclusion>& exclusions,
                          const model::AcceleratorCatalog& catalog,
                          std::vector<MetricFamily>& families) {
  MetricFamily devices =
      Gauge("berth_node_excluded_devices",
            "Devices of a node that a condition excludes now; 0 if their number is unknown.");
  MetricFamily since = Gauge("berth_node_excluded_since_seconds",
                             "Unix time at which the fault of an excluded node began.");
  const std::size_t told = std::min(exclusions.size(), ClusterMetrics::kMostExclusions);
  for (std::size_t i = 0; i < told; ++i) {
    const policies::scheduling::Exclusion& each = exclusions[i];
    const bool known = each.accelerator != model::AcceleratorCatalog::kNone;
    const std::vector<ClientMetric::Label> labels = {
        {"node", each.node},
        {"accelerator", known ? catalog[each.accelerator].name : "none"},
        {"condition", each.condition},
        {"resources", Join(each.resources)}};
    AddSample(devices, labels, static_cast<double>(each.devices));
    if (each.since == model::kNoTime) continue;
    AddSample(since, labels, static_cast<double>(each.since.time_since_epoch().count()));
  }
  MetricFamily omitted = Gauge("berth_node_exclusions_omitted",
                               "Excluded nodes, by condition, that have no series of their own.");
  AddSample(omitted, {}, static_cast<double>(exclusions.size() - told));
  families.push_back(std::move(devices));
  families.push_back(std::move(since));
  families.push_back(std::move(omitted));
}

MetricFamily BreakerFamily(const std::vector<policies::scheduling::Breaker>& breakers,
                           const model::AcceleratorCatalog& catalog) {
  MetricFamily family =
      Gauge("berth_breaker_tripped",
            "1 while a condition is on more than health.breaker.fraction of an accelerator's "
            "nodes, else 0.");
  for (const policies::scheduling::Breaker& breaker : breakers) {
    AddSample(
        family,
        {{"accelerator", catalog[breaker.accelerator].name}, {"condition", breaker.condition}},
        breaker.tripped ? 1 : 0);
  }
  return family;
}

void AddFreshnessFamilies(const cluster::Snapshot& snapshot, std::vector<MetricFamily>& families) {
  MetricFamily synced = Gauge("berth_snapshot_synced", "1 once nodes and pods are listed, else 0.");
  AddSample(synced, {}, snapshot.Synced() ? 1 : 0);
  MetricFamily age = Gauge("berth_snapshot_age_seconds",
                           "Seconds since the view was last known to be complete, by kind.");
  const auto now = cluster::Snapshot::Clock::now();
  for (const auto& [name, kind] : kKinds) {
    const auto heard = snapshot.LastHeard(kind);
    if (!heard) continue;
    AddSample(age, {{"kind", name}}, std::chrono::duration<double>(now - *heard).count());
  }
  families.push_back(std::move(synced));
  families.push_back(std::move(age));
}

MetricFamily QuarantineFamily(const cluster::Snapshot::Reader& view) {
  MetricFamily family = Gauge("berth_quarantined_objects",
                              "Objects that the API server has and Berth cannot read, by kind.");
  for (const auto& [name, kind] : kKinds) {
    AddSample(family, {{"kind", name}}, static_cast<double>(view.Quarantined(kind).size()));
  }
  return family;
}

}  // namespace

ClusterMetrics::ClusterMetrics(const cluster::Snapshot& snapshot,
                               policies::scheduling::HealthConfig health,
                               policies::scheduling::Mode mode, std::string taint,
                               std::function<model::Time()> now, BreakerLog& breaker_log)
    : snapshot_(snapshot),
      health_(std::move(health)),
      mode_(mode),
      taint_(std::move(taint)),
      now_(std::move(now)),
      breaker_log_(breaker_log) {}

std::vector<MetricFamily> ClusterMetrics::Collect() const {
  const model::AcceleratorCatalog& catalog = snapshot_.catalog();
  std::vector<MetricFamily> families;
  std::vector<policies::scheduling::Breaker> breakers;
  std::vector<policies::scheduling::Exclusion> exclusions;
  std::vector<usage::DevicesInUse> in_use;
  {
    const cluster::Snapshot::Reader view = snapshot_.Read();
    AddDeviceFamilies(view, catalog, families);
    in_use = usage::CountDevicesInUse(view, catalog, kMostUsers);
    families.push_back(TaintFamily(view, catalog, taint_));
    families.push_back(ConditionFamily(health_, view, now_()));
    if (mode_ == policies::scheduling::Mode::kEnforce) {
      exclusions = policies::scheduling::Exclusions(health_, catalog, view, now_());
    }
    families.push_back(QuarantineFamily(view));
    breakers = policies::scheduling::Breakers(health_, catalog, view.Pools(), now_());
  }
  families.push_back(UseFamily(in_use));
  AddExclusionFamilies(exclusions, catalog, families);
  families.push_back(BreakerFamily(breakers, catalog));
  breaker_log_.Update(breakers, catalog, health_.breaker.action);
  AddFreshnessFamilies(snapshot_, families);
  return families;
}

}  // namespace berth::placement
