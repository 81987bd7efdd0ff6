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
#include "process/lease_follower.h"
#include "process/live_cluster.h"
#include "server/metrics.h"

namespace berth::process {

/// Makes the placer that answers kube-scheduler from the configuration, and replaces it when the
/// configuration changes. Owns the snapshot and the feed that follows the cluster.
///
///   a change of                                takes effect
///   policies, size of the shortlist            at once, with the same snapshot
///   the planner, the controller's Lease        at once, with the same snapshot
///   the catalogue, the prefix                  when the cluster has been listed again
///   whether the shortlist needs Services       when the cluster has been listed again
///
/// When the cluster is listed again, a new snapshot is filled, because nodes and pods are stored as
/// the catalogue sees them. The former configuration keeps answering until the lists are complete.
/// A further change meanwhile replaces the generation that is waiting.
///
/// Start() comes first and only once. Apply(), Stop() and Current() may then be called on any
/// thread.
class ConfiguredPlacer {
 public:
  /// One configuration and everything that is made from it. Immutable. Whoever holds one may go on
  /// using its placer after it was replaced. Its snapshot stops changing if the cluster was listed
  /// again.
  struct Generation {
    config::BerthConfiguration config;
    Engine engine;
    std::shared_ptr<LiveCluster> cluster;
    /// Also keeps the cluster alive.
    std::shared_ptr<extender::Placer> placer;

    /// The policy health of `config`: its mode, and the block health.
    const policies::scheduling::PolicySettings<policies::scheduling::HealthPolicy>& health() const;
  };

  /// Called with each placer that is to replace the former one: on the thread that calls Apply(),
  /// or on a thread of the feed. The object's lock is held, so it must be quick and must not call
  /// the object.
  using Use = std::function<void(std::shared_ptr<extender::Placer>)>;

  /// Prepares the first generation without connecting to anything. `config` must be valid.
  /// `metrics` and the observers must outlive the object.
  ConfiguredPlacer(const config::BerthConfiguration& config, kube::ApiConfig api,
                   server::Metrics& metrics, std::vector<extender::DecisionObserver*> observers);
  /// Calls Stop().
  ~ConfiguredPlacer();
  ConfiguredPlacer(const ConfiguredPlacer&) = delete;
  ConfiguredPlacer& operator=(const ConfiguredPlacer&) = delete;

  /// Starts to follow the cluster. `use` is called only for later generations: the first placer is
  /// in Current().
  void Start(Use use);

  /// Applies another valid configuration. Replaces a former one that still waits for its lists.
  /// Does nothing after Stop().
  void Apply(const config::BerthConfiguration& config);

  /// Ends all connections to the API server and waits for their threads. The last snapshot keeps
  /// answering.
  void Stop();

  /// The generation in use; never null.
  std::shared_ptr<const Generation> Current() const;

 private:
  // Makes a snapshot and its feed, which is not started yet.
  std::shared_ptr<LiveCluster> NewCluster(const config::BerthConfiguration& config,
                                          const Engine& engine);

  // Makes the placer of a configuration.
  std::shared_ptr<const Generation> Make(const config::BerthConfiguration& config, Engine engine,
                                         std::shared_ptr<LiveCluster> cluster);
  // Called by a feed when its cluster has been listed.
  void OnSynced(const LiveCluster* cluster);

  const kube::ApiConfig api_;
  server::Metrics& metrics_;
  // Every placer reports its decisions to them.
  const std::vector<extender::DecisionObserver*> observers_;
  // Shared by all generations, so that their counters go on.
  FeedObserver node_observer_;
  FeedObserver pod_observer_;
  FeedObserver nominated_pod_observer_;
  FeedObserver service_observer_;
  LeaseFollower lease_follower_;
  Use use_;

  // Guards the members below.
  mutable std::mutex mutex_;
  bool stopped_ = false;
  // The generation in use.
  std::shared_ptr<const Generation> current_;
  /// A generation that waits for its lists; may be null.
  std::shared_ptr<const Generation> next_;
};

}  // namespace berth::process
