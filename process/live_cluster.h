#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>

#include "cluster/feed.h"
#include "cluster/snapshot.h"
#include "kube/api_config.h"
#include "kube/list_watch_observer.h"
#include "model/accelerator.h"
#include "process/catalogue_log.h"

namespace berth::process {

/// For a feed of that API server, with a seed of chance of its own, so that the feeds of many
/// processes do not retry in step.
cluster::Feed::Options FeedOptions(kube::ApiConfig api);

/// A snapshot as one catalogue sees the cluster, and the feed that keeps it in step with the API
/// server. Warns of nodes that the catalogue recognises twice. Thread-safe.
class LiveCluster {
 public:
  /// The observers must outlive this; without `services` these are not followed. `on_synced` is
  /// called once, on a thread of the feed, when nodes and pods have been listed; it may be empty.
  LiveCluster(std::shared_ptr<const model::AcceleratorCatalog> catalog, kube::ApiConfig api,
              kube::ListWatchObserver& nodes, kube::ListWatchObserver& pods,
              kube::ListWatchObserver* services, std::function<void()> on_synced);
  ~LiveCluster();
  LiveCluster(const LiveCluster&) = delete;
  LiveCluster& operator=(const LiveCluster&) = delete;

  /// Once only; does nothing after Stop().
  void Start();

  /// The snapshot stays as it is from then on. Not to be called by `on_synced`.
  void Stop();

  const cluster::Snapshot& snapshot() const { return snapshot_; }

 private:
  /// Passes everything on, and looks whether both lists have come.
  class Observer;

  void OnListed();

  const std::function<void()> on_synced_;
  std::atomic<bool> told_ = false;
  CatalogueLog catalogue_log_;
  cluster::Snapshot snapshot_;
  const std::unique_ptr<Observer> nodes_;
  const std::unique_ptr<Observer> pods_;
  std::mutex mutex_;
  bool stopped_ = false;
  cluster::Feed feed_;
};

}  // namespace berth::process
