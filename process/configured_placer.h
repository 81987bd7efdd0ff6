#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "config/config.h"
#include "extender/decision.h"
#include "extender/placer.h"
#include "kube/api_config.h"
#include "process/engine.h"
#include "process/feed_observer.h"
#include "process/live_cluster.h"
#include "server/metrics.h"

namespace berth::process {

/// What the extender answers by, made from the configuration and made anew when that changes.
///
/// New policies take effect at once. A new catalogue needs a snapshot of its own, because nodes and
/// pods are kept as the catalogue sees them; so does a shortlist, when it begins or ceases to need
/// Services: the cluster is listed again, and until that has come the former configuration goes on
/// answering. Thread-safe.
class ConfiguredPlacer {
 public:
  /// One configuration with all that is made from it.
  struct Generation {
    config::BerthConfiguration config;
    Engine engine;
    std::shared_ptr<LiveCluster> cluster;
    /// Keeps the cluster alive.
    std::shared_ptr<extender::Placer> placer;

    const policies::scheduling::HealthConfig& health() const;
  };

  /// Told on any thread when another placer is to be used.
  using Use = std::function<void(std::shared_ptr<extender::Placer>)>;

  /// Reaches for nothing yet. `metrics` and the observers must outlive this.
  ConfiguredPlacer(const config::BerthConfiguration& config, kube::ApiConfig api,
                   server::Metrics& metrics, std::vector<extender::DecisionObserver*> observers);
  ~ConfiguredPlacer();
  ConfiguredPlacer(const ConfiguredPlacer&) = delete;
  ConfiguredPlacer& operator=(const ConfiguredPlacer&) = delete;

  /// Begins to follow the cluster. Once.
  void Start(Use use);

  /// Takes over another configuration, which has been validated. After Start().
  void Apply(const config::BerthConfiguration& config);

  /// Ends all connections to the API server; the last snapshot goes on answering.
  void Stop();

  /// What is in use; never null.
  std::shared_ptr<const Generation> Current() const;

 private:
  std::shared_ptr<LiveCluster> NewCluster(const config::BerthConfiguration& config,
                                          const Engine& engine);
  std::shared_ptr<const Generation> Make(const config::BerthConfiguration& config, Engine engine,
                                         std::shared_ptr<LiveCluster> cluster);
  void OnSynced(const LiveCluster* cluster);

  const kube::ApiConfig api_;
  server::Metrics& metrics_;
  const std::vector<extender::DecisionObserver*> observers_;
  FeedObserver node_observer_;
  FeedObserver pod_observer_;
  FeedObserver service_observer_;
  Use use_;

  mutable std::mutex mutex_;
  bool stopped_ = false;
  std::shared_ptr<const Generation> current_;
  /// Waits for its lists.
  std::shared_ptr<const Generation> next_;
};

}  // namespace berth::process
