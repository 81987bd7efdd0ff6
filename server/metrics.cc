#include "server/metrics.h"

#include <prometheus/gauge.h>
#include <prometheus/text_serializer.h>

#include <iterator>
#include <sstream>
#include <utility>

namespace berth::server {

Metrics::Metrics() : registry_(std::make_shared<prometheus::Registry>()) {}

void Metrics::AddGauge(const std::string& name, const std::string& help,
                       const prometheus::Labels& labels, std::function<double()> read) {
  prometheus::Gauge& gauge =
      prometheus::BuildGauge().Name(name).Help(help).Register(*registry_).Add(labels);
  const std::lock_guard lock(mutex_);
  read_gauges_.push_back({&gauge, std::move(read)});
}

void Metrics::AddCollectable(std::shared_ptr<const prometheus::Collectable> collectable) {
  const std::lock_guard lock(mutex_);
  collectables_.push_back(std::move(collectable));
}

void Metrics::AddBuildInfo(const std::string& version, const std::string& revision) {
  prometheus::BuildGauge()
      .Name("berth_build_info")
      .Help("1, labelled with what was built and by which compiler.")
      .Register(*registry_)
      .Add({{"version", version}, {"revision", revision}, {"compiler", __VERSION__}})
      .Set(1);
}

std::string Metrics::Exposition() const {
  // One at a time, or an older value could overwrite a newer one.
  const std::lock_guard lock(mutex_);
  for (const ReadGauge& each : read_gauges_) each.gauge->Set(each.read());
  std::vector<prometheus::MetricFamily> families = registry_->Collect();
  for (const auto& collectable : collectables_) {
    std::vector<prometheus::MetricFamily> more = collectable->Collect();
    std::move(more.begin(), more.end(), std::back_inserter(families));
  }
  std::ostringstream text;
  prometheus::TextSerializer().Serialize(text, families);
  return std::move(text).str();
}

Route MetricsRoute(std::shared_ptr<const Metrics> metrics) {
  Route route;
  route.method = "GET";
  route.path = "/metrics";
  route.handle = [metrics = std::move(metrics)](const HttpRequest&) {
    return HttpResponse{200, "text/plain; version=0.0.4; charset=utf-8", metrics->Exposition()};
  };
  return route;
}

}  // namespace berth::server
