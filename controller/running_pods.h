#pragma once

#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "cluster/snapshot.h"
#include "controller/avoid_writer.h"
#include "controller/leader_transport.h"
#include "controller/patcher.h"
#include "controller/pod_evictor.h"
#include "controller/write_observer.h"
#include "kube/list_watch.h"
#include "kube/list_watch_observer.h"
#include "kube/timer.h"
#include "kube/transport.h"
#include "model/pod.h"

namespace berth::controller {

/// What is done about pods that run on nodes that break, if it is configured: PodEvictor and
/// AvoidWriter, with their connections and the list-and-watch of failed pods. Controller owns it.
class RunningPods {
 public:
  /// Where each of both works, and what for.
  struct Options {
    PodEvictor::Options evictor;
    AvoidWriter::Options avoid;
    /// Connects to the API server: to write, and to watch.
    std::function<std::unique_ptr<kube::Transport>()> to_write;
    std::function<std::unique_ptr<kube::Transport>()> to_watch;
    /// Returns a transport that writes only while the controller leads.
    std::function<LeaderTransport(kube::Transport&)> while_leading;
    /// For the jitter of the list-and-watch.
    std::uint64_t seed = 0;
  };

  /// Sends nothing yet. `failed_observer` is notified of the list-and-watch. Everything pointed at
  /// must outlive this.
  RunningPods(const Options& options, const cluster::Snapshot* snapshot, kube::Timer* timer,
              WriteObserver* observer, kube::ListWatchObserver* failed_observer);

  /// Adds the threads that do the work. They end when the timer is stopped, and after Stop().
  void Start(std::vector<std::thread>& threads);
  /// Cancels the requests under way.
  void Stop();

 private:
  const bool avoids_;
  const std::unique_ptr<kube::Transport> evict_client_;
  LeaderTransport evict_transport_;
  PodEvictor evictor_;
  const std::unique_ptr<kube::Transport> avoid_client_;
  LeaderTransport avoid_transport_;
  Patcher avoid_patcher_;
  AvoidWriter avoid_writer_;
  // They feed avoid_writer_.
  const std::unique_ptr<kube::Transport> failed_client_;
  kube::SteadyTimer failed_timer_;
  kube::ListWatch<model::Pod> failed_;
};

}  // namespace berth::controller
