#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "cluster/feed.h"
#include "cluster/nominated_pods.h"
#include "cluster/snapshot.h"
#include "kube/api_config.h"
#include "kube/list_watch_observer.h"
#include "model/accelerator.h"
#include "process/catalogue_log.h"

namespace berth::process {

/// Options of a feed for that API server. Each call chooses a random seed, so that the feeds of
/// many processes do not retry in step.
cluster::Feed::Options FeedOptions(kube::ApiConfig api);

/// A snapshot of the cluster, as one catalogue sees it, and the feed that keeps it up to date with
/// the API server. Warns about nodes that two entries of the catalogue recognise. Thread-safe.
///
/// The feed has a thread for each kind that it lists and watches: nodes, bound pods, nominated pods
/// and, if a shortlist needs them, Services.
class LiveCluster {
 public:
  /// Connects to nothing yet. `creator_annotation` is the full name of the annotation that says who
  /// created a pod. The observers must outlive the object. Without `services`, Services
  /// are not watched. `on_synced` is called once, on a thread of the feed, when nodes and bound
  /// pods have been listed; it may be empty.
  LiveCluster(std::shared_ptr<const model::AcceleratorCatalog> catalog,
              std::string creator_annotation, kube::ApiConfig api, kube::ListWatchObserver& nodes,
              kube::ListWatchObserver& pods, kube::ListWatchObserver& nominated_pods,
              kube::ListWatchObserver* services, std::function<void()> on_synced);
  /// Ends the feed, like Stop().
  ~LiveCluster();
  LiveCluster(const LiveCluster&) = delete;
  LiveCluster& operator=(const LiveCluster&) = delete;

  /// Starts the feed and returns at once. Call it once. Does nothing after Stop().
  void Start();

  /// Ends the feed and waits for its threads; afterwards the snapshot no longer changes.
  /// `on_synced` must not call it.
  void Stop();

  /// Lives as long as the object.
  const cluster::Snapshot& snapshot() const { return snapshot_; }

  /// Lives as long as the object. Empty until its list has arrived, for which nobody waits.
  const cluster::NominatedPods& nominated_pods() const { return nominated_pods_; }

 private:
  /// Passes events on, and checks whether both lists are complete.
  class Observer;

  // Called on the feed's threads after each complete list.
  void OnListed();

  const std::function<void()> on_synced_;
  // Whether `on_synced_` was called.
  std::atomic<bool> told_ = false;
  CatalogueLog catalogue_log_;
  cluster::Snapshot snapshot_;
  cluster::NominatedPods nominated_pods_;
  // Between the feed and the observers that the constructor got.
  const std::unique_ptr<Observer> nodes_;
  const std::unique_ptr<Observer> pods_;
  // Guards `stopped_` and the start of the feed.
  std::mutex mutex_;
  bool stopped_ = false;
  cluster::Feed feed_;
};

}  // namespace berth::process
