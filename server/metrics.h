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

/// The metrics of a process, which Prometheus scrapes over HTTP. Whoever runs a server owns one,
/// and passes it to all parts that count something. It must outlive them. Thread-safe.
///
/// Metrics come from three sources: families of counters, gauges and histograms that are updated
/// when something happens, gauges that are read at each scrape, and families that are computed at
/// each scrape.
class Metrics {
 public:
  Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  /// The registry for families of counters, gauges and histograms. Look up a child (Family::Add)
  /// once and keep it, instead of once for each request.
  prometheus::Registry& registry() { return *registry_; }

  /// Adds a gauge whose value is read at each scrape. `read` is called on the thread that serves
  /// the scrape, one call at a time. It must be thread-safe, must not block, must not call this
  /// object, and must stay valid as long as this object lives.
  void AddGauge(const std::string& name, const std::string& help, const prometheus::Labels& labels,
                std::function<double()> read);

  /// Adds families that are computed at each scrape. `collectable` is called like the `read` of
  /// AddGauge(). Its families must have other names than those of the registry.
  void AddCollectable(std::shared_ptr<const prometheus::Collectable> collectable);

  /// Adds `berth_build_info{version,revision,compiler} 1`.
  void AddBuildInfo(const std::string& version, const std::string& revision);

  /// Returns all metrics in Prometheus' text format 0.0.4. One call at a time; others wait.
  std::string Exposition() const;

 private:
  // A gauge of AddGauge(), and where its value comes from.
  struct ReadGauge {
    prometheus::Gauge* gauge;
    std::function<double()> read;
  };

  std::shared_ptr<prometheus::Registry> registry_;
  mutable std::mutex mutex_;  // guards the following, and is held while they are called
  std::vector<ReadGauge> read_gauges_;
  std::vector<std::shared_ptr<const prometheus::Collectable>> collectables_;
};

/// `GET /metrics`. The metrics are computed ten times a second at most, or somewhat more often
/// after a pause (up to 20 times at once). Further requests get the text that was computed last.
Route MetricsRoute(std::shared_ptr<const Metrics> metrics);

}  // namespace berth::server
