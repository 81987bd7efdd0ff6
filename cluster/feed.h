#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "cluster/nominated_pods.h"
#include "cluster/snapshot.h"
#include "kube/api_config.h"
#include "kube/http_client.h"
#include "kube/list_watch_observer.h"
#include "kube/permission.h"

namespace berth::cluster {

/// What a feed needs permission for at the API server.
inline constexpr kube::Permission kFeedPermissions[] = {
    {"", "nodes", "list"}, {"", "nodes", "watch"}, {"", "pods", "list"}, {"", "pods", "watch"}};

/// What a feed that follows Services needs permission for in addition.
inline constexpr kube::Permission kServiceFeedPermissions[] = {{"", "services", "list"},
                                                               {"", "services", "watch"}};

/// Whom a feed tells of the pods that are nominated for a node, which are not in the snapshot.
struct NominatedFeed {
  /// Null: they are not followed.
  NominatedPods* pods = nullptr;
  /// Not null if `pods` is not.
  kube::ListWatchObserver* observer = nullptr;
};

/// Keeps a snapshot in step with an API server. A feed runs one list-and-watch of all nodes, one of
/// the pods that are bound and have not ended, and optionally one of all Services and one of the
/// pods that are nominated for a node. Each has its own thread and connection, and retries by
/// itself for ever. While the API server is unreachable, the snapshot stays as it was.
///
/// Example:
///
///   Feed feed({.api = api, .timeouts = timeouts}, &snapshot, &nodes_log, &pods_log);
///   feed.Start();
///   ...  // serve from the snapshot as soon as snapshot.Synced()
///   feed.Stop();
///
/// Not thread-safe: its owner calls Start() and Stop(). Start() is called at most once.
class Feed {
 public:
  /// What to connect to, and how to list and watch.
  struct Options {
    /// Address and credentials of the API server.
    kube::ApiConfig api;
    /// Limits on connecting and on single requests.
    kube::HttpTimeouts timeouts;
    /// A watch that is silent for this long counts as dead; see kube::ListWatchOptions.
    std::chrono::milliseconds stall{std::chrono::minutes(3)};
    /// The most objects in one page of a list; see kube::ListWatchOptions.
    int page_size = 500;
    /// Whether a watch may stand in for the list; see kube::ListWatchOptions.
    bool watch_list = true;
    /// Seeds the jitter of retries and watch timeouts; should differ between processes.
    std::uint64_t seed = 0;
  };

  /// The field selector for the pods that count: those that are bound and have not ended.
  static constexpr char kPodSelector[] =
      "spec.nodeName!=,status.phase!=Succeeded,status.phase!=Failed";

  /// Starts nothing yet. Everything pointed at must outlive the feed. The observers are called on
  /// the feed's threads, each on one of them. If `services` is null, Services are not followed.
  Feed(const Options& options, Snapshot* snapshot, kube::ListWatchObserver* nodes,
       kube::ListWatchObserver* pods, kube::ListWatchObserver* services = nullptr,
       NominatedFeed nominated = {});

  /// Calls Stop().
  ~Feed();

  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;

  /// Starts the threads and returns at once. Snapshot::Synced() tells when nodes and bound pods
  /// have been listed. Call it once only.
  void Start();

  /// Stops all threads and joins them, which takes moments whatever they wait for. After it
  /// returns, nothing writes to the snapshot or calls an observer. May be called repeatedly, and
  /// without Start().
  void Stop();

 private:
  template <typename T>
  /// One list-and-watch with its client and thread.
  class Channel;

  std::unique_ptr<Channel<model::Node>> nodes_;
  std::unique_ptr<Channel<model::Pod>> pods_;
  std::unique_ptr<Channel<model::Service>> services_;  // null if Services are not followed
  std::unique_ptr<Channel<model::Pod>> nominated_;     // null if these are not followed
};

}  // namespace berth::cluster
