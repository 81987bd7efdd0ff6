#pragma once

#include <prometheus/collectable.h>
#include <prometheus/registry.h>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "server/http.h"

namespace berth::server {

/// A registry whose metrics are read over HTTP. Thread-safe.
class Metrics {
 public:
  Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  /// For families of counters, gauges and histograms. Resolve children once, not per request.
  prometheus::Registry& registry() { return *registry_; }

  /// A gauge that is read when it is asked for. `read` is thread-safe, does not block, and is valid
  /// as long as this object.
  void AddGauge(const std::string& name, const std::string& help, const prometheus::Labels& labels,
                std::function<double()> read);

  /// Families that are worked out when they are asked for. `collectable` is thread-safe and does
  /// not name a family that the registry has.
  void AddCollectable(std::shared_ptr<const prometheus::Collectable> collectable);

  /// `berth_build_info{version,revision,compiler} 1`.
  void AddBuildInfo(const std::string& version, const std::string& revision);

  /// Everything in Prometheus' text format 0.0.4.
  std::string Exposition() const;

 private:
  struct ReadGauge {
    prometheus::Gauge* gauge;
    std::function<double()> read;
  };

  std::shared_ptr<prometheus::Registry> registry_;
  mutable std::mutex mutex_;
  std::vector<ReadGauge> read_gauges_;
  std::vector<std::shared_ptr<const prometheus::Collectable>> collectables_;
};

/// `GET /metrics`. Ten times a second the metrics are worked out anew, or somewhat more often after
/// a rest; who asks more often gets what was worked out last.
Route MetricsRoute(std::shared_ptr<const Metrics> metrics);

}  // namespace berth::server
