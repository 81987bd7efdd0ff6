#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cluster/snapshot.h"
#include "controller/fault_event.h"
#include "controller/fault_metrics.h"
#include "controller/fault_watch.h"
#include "controller/retries.h"
#include "controller/write_observer.h"
#include "kube/permission.h"
#include "kube/timer.h"
#include "kube/transport.h"
#include "model/time.h"

namespace berth::controller {

/// The right that FaultTeller needs at the API server, besides those of the snapshot's feed.
inline constexpr kube::Permission kFaultEventPermissions[] = {{"", "events", "create"}};

/// Follows which nodes are excluded: measures how long that takes and, if it is configured to,
/// writes Events on the nodes and on the pods that hold their devices. One Event is written for
/// each transition, at most five a second, and none that is older than a minute or for a condition
/// that is on suspiciously many nodes: a detector that errs must not flood the API server. A
/// condition that comes and goes is told of after 2 s at the earliest, then 4 s and so on up to 5
/// min. An Event that cannot be written is given up.
///
/// A controller that does not lead follows, too, so that it misses nothing when it begins to lead;
/// what the former leader has written already, the API server refuses by its name.
///
/// Controller owns it. Run() blocks, so give it a thread. Not thread-safe.
class FaultTeller {
 public:
  /// What is told, and how fast.
  struct Options {
    policies::scheduling::HealthConfig health;
    /// Whether Events are written.
    bool events = false;
    /// Returns whether this controller leads. Asked at each look and before each request.
    std::function<bool()> may_write;
    /// The time by which conditions are judged.
    std::function<model::Time()> now;
    /// From one request to the next while there are Events to write.
    std::chrono::milliseconds pace{200};
    /// From one look at the snapshot to the next.
    std::chrono::milliseconds interval{1000};
    /// After what time an Event is not news any more.
    std::chrono::milliseconds news{60000};
  };

  /// The snapshot must keep the UIDs of nodes. `metrics` may be null; without it and without Events
  /// Run() returns at once. Everything must outlive this.
  FaultTeller(Options options, const cluster::Snapshot* snapshot, kube::Transport* transport,
              kube::Timer* timer, FaultMetrics* metrics, WriteObserver* observer);

  /// Returns when the timer is stopped. Each Event that was written, or could not be, is reported
  /// to `observer`, on this thread.
  void Run();

 private:
  // What is to be written, or a node whose pods are to be told: these are listed first.
  struct News {
    kube::Timer::Clock::time_point seen;
    model::Time time;
    std::variant<FaultEvent, FaultChange> what;
  };

  // Looks at the snapshot if it is time to. Returns whether there is something to write.
  bool Look();
  void Add(const FaultChange& change);
  // Returns whether the change is to be told, and notes that it is.
  bool IsWorthTelling(const FaultChange& change);
  // Makes one request.
  void WriteOne();
  absl::Status Send(const FaultEvent& event, model::Time time);
  absl::StatusOr<std::vector<FaultEvent>> EventsOfPods(const FaultChange& change);

  const Options options_;
  const cluster::Snapshot* const snapshot_;
  kube::Transport* const transport_;
  kube::Timer* const timer_;
  FaultMetrics* const metrics_;
  WriteObserver* const observer_;
  FaultWatch watch_;
  // When to look next.
  kube::Timer::Clock::time_point next_look_{};
  std::deque<News> news_;
  // The keys are a transition, the type of the condition and the UID of the node.
  Retries told_;
};

}  // namespace berth::controller
