#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "cluster/snapshot.h"
#include "kube/api_config.h"
#include "kube/http_client.h"
#include "kube/list_watch_observer.h"
#include "kube/permission.h"

namespace berth::cluster {

/// What a feed asks of the API server.
inline constexpr kube::Permission kFeedPermissions[] = {
    {"", "nodes", "list"}, {"", "nodes", "watch"}, {"", "pods", "list"}, {"", "pods", "watch"}};

/// What one that follows Services asks besides.
inline constexpr kube::Permission kServiceFeedPermissions[] = {{"", "services", "list"},
                                                               {"", "services", "watch"}};

/// Keeps a snapshot in step with an API server: one list-and-watch of all nodes, one of the pods
/// that are bound and have not ended, and where they are wanted one of all Services, each on its
/// own thread and connection. When the server is gone the snapshot stays as it was.
///
/// Not thread-safe: Start() and Stop() are called by its owner.
class Feed {
 public:
  struct Options {
    kube::ApiConfig api;
    kube::HttpTimeouts timeouts;
    /// A watch that is silent for so long is dead; see kube::ListWatchOptions.
    std::chrono::milliseconds stall{std::chrono::minutes(3)};
    /// Objects in one page of a list, and whether a watch may list instead; see
    /// kube::ListWatchOptions.
    int page_size = 500;
    bool watch_list = true;
    /// For jitter; different for each process.
    std::uint64_t seed = 0;
  };

  /// The pods that count, as the API server selects them.
  static constexpr char kPodSelector[] =
      "spec.nodeName!=,status.phase!=Succeeded,status.phase!=Failed";

  /// Everything pointed at must outlive the feed. The observers are told on the feed's threads.
  /// Without one for Services these are not followed.
  Feed(Options options, Snapshot* snapshot, kube::ListWatchObserver* nodes,
       kube::ListWatchObserver* pods, kube::ListWatchObserver* services = nullptr);

  /// Stops.
  ~Feed();

  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;

  /// Returns at once; Snapshot::Synced() tells when both lists have come. Once only.
  void Start();

  /// Ends all within moments, whatever they wait for. Once it returns, nothing is called any more.
  void Stop();

 private:
  template <typename T>
  class Channel;

  std::unique_ptr<Channel<model::Node>> nodes_;
  std::unique_ptr<Channel<model::Pod>> pods_;
  std::unique_ptr<Channel<model::Service>> services_;  // null: not followed
};

}  // namespace berth::cluster
