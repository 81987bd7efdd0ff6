#pragma once

#include <absl/status/status.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "board/shared_pods.h"
#include "cluster/snapshot.h"
#include "kube/api_config.h"
#include "kube/rbac.h"
#include "kube/transport.h"
#include "model/node.h"
#include "model/pod.h"
#include "model/time.h"

namespace berth::board {

/// Checks that the person may list and watch what the board shows: nodes, and the pods of all
/// namespaces or of `namespace_name`. Blocks until the API server has answered. Returns
/// PermissionDenied, with what to ask an administrator for, or the error of the request.
absl::Status CheckRights(kube::Transport& transport, const std::string& namespace_name);

/// The rights that the board needs for nodes, which are in no namespace, and for pods, which may be
/// limited to one: to list and watch. It needs no right to write.
std::vector<kube::Grant> NodeGrants();
std::vector<kube::Grant> PodGrants();

/// Keeps a snapshot and the board's pods in step with an API server: a list-and-watch of nodes, and
/// one of the pods that have not ended, bound or not. Each has a thread, and retries for ever.
class Feed {
 public:
  struct Options {
    kube::ApiConfig api;
    /// Only pods of this namespace are known. Empty: all.
    std::string namespace_name;
    /// Seeds the jitter of retries.
    std::uint64_t seed = 0;
    /// The time of day, which goes on while the machine sleeps. Called on several threads.
    std::function<model::Time()> now;
  };
  /// What is heard of an API server less often is old: a watch that is silent for three minutes is
  /// begun anew, but these do not go on while the machine sleeps.
  static constexpr model::Duration kSilence = std::chrono::seconds(200);

  /// Starts nothing yet. `snapshot` and `pods` must outlive the feed.
  Feed(const Options& options, cluster::Snapshot* snapshot, SharedPods* pods);
  /// Calls Stop().
  ~Feed();
  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;

  void Start();
  /// Ends the threads. May be called repeatedly.
  void Stop();

  /// The error of the last request, if the list-and-watch of nodes or pods has not heard of the API
  /// server since; or that nothing was heard for kSilence: what the board shows may be old.
  /// PermissionDenied if the API server refuses it. OK: all is well. Thread-safe.
  absl::Status Trouble() const;
  /// Until when the board knows of nodes and pods; nothing if it does not know both yet.
  /// Thread-safe.
  std::optional<model::Time> Heard() const;

 private:
  class Troubles;
  template <typename T>
  class Handler;
  template <typename T>
  class Channel;

  std::unique_ptr<Troubles> troubles_;
  std::unique_ptr<Channel<model::Node>> nodes_;
  std::unique_ptr<Channel<model::Pod>> pods_;
};

}  // namespace berth::board
