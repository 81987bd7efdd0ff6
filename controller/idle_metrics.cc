#include "controller/idle_metrics.h"

#include <prometheus/client_metric.h>
#include <prometheus/metric_family.h>
#include <prometheus/metric_type.h>

#include <map>
#include <utility>

#include "model/saturating.h"
#include "usage/holdings.h"

namespace berth::controller {

namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;

void AddIdleSample(MetricFamily& family, std::vector<ClientMetric::Label> labels,
                   std::int64_t value) {
  ClientMetric metric;
  metric.label = std::move(labels);
  metric.gauge.value = static_cast<double>(value);
  family.metric.push_back(std::move(metric));
}

MetricFamily IdleFamily(const std::vector<usage::PodUse>& uses) {
  MetricFamily family{"berth_idle_devices",
                      "Devices that pods hold and did not use, by the creator and the namespace of "
                      "the pods, and by accelerator.",
                      prometheus::MetricType::Gauge,
                      {}};
  for (const usage::DevicesInUse& each : usage::CountIdle(uses, IdleMetrics::kMostUsers)) {
    AddIdleSample(family,
                  {{"creator", each.creator},
                   {"namespace", each.namespace_name},
                   {"accelerator", each.accelerator}},
                  each.devices);
  }
  return family;
}

MetricFamily UnjudgedFamily(const std::vector<usage::PodUse>& uses) {
  std::map<std::pair<std::string, std::string>, std::int64_t> sums;
  for (const usage::PodUse& use : uses) {
    const bool young = use.use == usage::Use::kYoung;
    if (!young && use.use != usage::Use::kNoData) continue;
    const std::string accelerator = use.holding.accelerator.empty()
                                        ? std::string(usage::kNoAccelerator)
                                        : use.holding.accelerator;
    std::int64_t& sum = sums[{accelerator, young ? "young" : "no_data"}];
    sum = model::SaturatingAdd(sum, use.holding.devices);
  }
  MetricFamily family{"berth_idle_unjudged_devices",
                      "Devices that pods hold of which is not known whether they use them.",
                      prometheus::MetricType::Gauge,
                      {}};
  for (const auto& [key, devices] : sums) {
    AddIdleSample(family, {{"accelerator", key.first}, {"reason", key.second}}, devices);
  }
  return family;
}

}  // namespace

class IdleMetrics::Found final : public prometheus::Collectable {
 public:
  std::vector<MetricFamily> Collect() const override {
    const std::lock_guard lock(mutex_);
    return families_;
  }

  void Set(std::vector<MetricFamily> families) {
    const std::lock_guard lock(mutex_);
    families_ = std::move(families);
  }

 private:
  mutable std::mutex mutex_;
  std::vector<MetricFamily> families_;
};

IdleMetrics::IdleMetrics(server::Metrics& metrics)
    : found_(std::make_shared<Found>()),
      errors_(&prometheus::BuildCounter()
                   .Name("berth_idle_errors_total")
                   .Help("Failed attempts to learn from Prometheus which devices are idle.")
                   .Register(metrics.registry())
                   .Add({})) {
  metrics.AddCollectable(found_);
}

void IdleMetrics::Set(const std::vector<usage::PodUse>& uses) {
  found_->Set({IdleFamily(uses), UnjudgedFamily(uses)});
}

void IdleMetrics::Clear() { found_->Set({}); }

void IdleMetrics::OnError() { errors_->Increment(); }

}  // namespace berth::controller
