#include "server/metrics.h"

#include <prometheus/gauge.h>
#include <prometheus/text_serializer.h>

#include <chrono>
#include <iterator>
#include <sstream>
#include <utility>

#include "server/rate_limiter.h"

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
  // One call at a time, because otherwise an older value could overwrite a newer one.
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

namespace {

// Remembers the last text for a while. To compute the metrics takes locks and time that others
// need; to send the text takes little.
class Scrapes {
 public:
  explicit Scrapes(std::shared_ptr<const Metrics> metrics) : metrics_(std::move(metrics)) {}

  std::string Text() {
    if (!fresh_.Admit()) {
      const std::lock_guard lock(mutex_);
      if (!last_.empty()) return last_;
    }
    std::string text = metrics_->Exposition();
    const std::lock_guard lock(mutex_);
    last_ = text;
    return text;
  }

 private:
  const std::shared_ptr<const Metrics> metrics_;
  RateLimiter fresh_{std::chrono::milliseconds(100), /*burst=*/20};
  std::mutex mutex_;
  std::string last_;
};

}  // namespace

Route MetricsRoute(std::shared_ptr<const Metrics> metrics) {
  Route route;
  route.method = "GET";
  route.path = "/metrics";
  route.handle = [scrapes = std::make_shared<Scrapes>(std::move(metrics))](const HttpRequest&) {
    return HttpResponse{200, "text/plain; version=0.0.4; charset=utf-8", scrapes->Text()};
  };
  return route;
}

}  // namespace berth::server
