#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cluster/snapshot.h"
#include "controller/config.h"
#include "controller/idle_event.h"
#include "controller/idle_metrics.h"
#include "controller/write_observer.h"
#include "kube/permission.h"
#include "kube/timer.h"
#include "kube/transport.h"
#include "model/time.h"
#include "usage/config.h"
#include "usage/idle.h"
#include "usage/prometheus.h"

namespace berth::controller {

/// The rights that IdlePods needs at the API server to tell of idle pods, and to evict them.
inline constexpr kube::Permission kIdleEventPermissions[] = {{"", "pods", "get"},
                                                             {"", "events", "create"}};
inline constexpr kube::Permission kIdleEvictPermissions[] = {{"", "pods/eviction", "create"}};

/// Looks for pods that hold devices and use none of them. It exports how many devices are idle,
/// tells of each such pod by an Event, and evicts notebooks among them through the Eviction API, if
/// it is configured to. A notebook is evicted only if
/// - it was found idle at each look since the first Event, for the whole grace period, and at this
///   look, too;
/// - its annotation keep-idle-until does not put that off;
/// - it is old enough, and no PodDisruptionBudget is in the way.
/// If it is not, another Event says why, and so does what it is told on each day. A look that
/// fails, because Prometheus does not answer, changes nothing; but if two or more in a row fail,
/// and for longer than the window, the grace periods begin anew, because nobody has seen what was
/// used in between. A controller that begins to lead begins them anew, too. A pod without
/// measurements is not idle.
///
/// Controller owns it. Run() blocks, so give it a thread. Not thread-safe.
class IdlePods {
 public:
  struct Options {
    /// If not enabled, Run() returns at once.
    IdlePodsConfig config;
    /// When a device is idle, and which pods are notebooks.
    usage::IdleConfig idle;
    /// The full name of the annotation: "berth.dev/keep-idle-until".
    std::string keep_annotation;
    /// Returns whether this controller leads. Asked before each look and each write.
    std::function<bool()> may_write;
    /// The time that is compared with times in the API.
    std::function<model::Time()> now;
  };

  /// `transport` is connected to the API server. The snapshot must keep creators. Everything must
  /// outlive this.
  IdlePods(Options options, const cluster::Snapshot* snapshot, usage::Prometheus* prometheus,
           kube::Transport* transport, kube::Timer* timer, WriteObserver* observer,
           IdleMetrics* metrics);

  /// Looks every IdlePodsConfig::every while this controller leads and the snapshot is synced, and
  /// for the first time as soon as both hold.
  /// Returns when the timer is stopped.
  void Run();

 private:
  using Clock = kube::Timer::Clock;

  /// How often to ask whether this controller leads by now.
  static constexpr std::chrono::seconds kUntilLeading{1};
  /// At most so many pods are read at one look; the next looks go on.
  static constexpr std::size_t kMostReads = 500;

  /// A pod that was told, and was idle at each look since.
  struct Told {
    std::string uid;
    /// When it was told first, by a clock that does not jump, and the same as a time for people.
    Clock::time_point since;
    model::Time time;
    /// Whether a PodDisruptionBudget was in the way of an eviction, and nothing else has kept the
    /// pod since.
    bool budget_refuses = false;
    /// The names of the events.
    std::set<std::string> events;
    /// The id of IdleEvent() that was told last.
    std::string newest_idle;
  };

  void Look();
  /// Reads some of the idle pods, and handles them.
  void GoThrough(const std::map<std::string, std::string>& idle);
  /// Returns which pods use none of their devices, with what they hold: by "<namespace>/<name>".
  static std::map<std::string, std::string> FullyIdle(const std::vector<usage::PodUse>& uses);
  /// Reads the pod. NotFound if it is gone or about to be.
  absl::StatusOr<IdlePod> Read(const std::string& full_name, const std::string& devices);
  /// Tells of the pod, and evicts it if it is time.
  void Handle(const IdlePod& pod);
  /// Tells of the pod, unless the last Event of this kind says the same, on the same day. Returns
  /// whether it is told.
  bool TellIdle(const IdlePod& pod, Told& told);
  /// StayOf() as configured.
  IdleStay StayAfter(const IdlePod& pod, model::Time due, model::Time now) const;
  void EvictIfDue(const IdlePod& pod, Told& told);
  void Evict(const IdlePod& pod, Told& told);
  /// Writes the event, unless this object has written it before. Returns whether it is stored.
  bool Tell(const FaultEvent& event, Told& told);
  /// Whether another notebook may be evicted in this minute.
  bool IsWithinLimit();

  const Options options_;
  const cluster::Snapshot* const snapshot_;
  usage::Prometheus* const prometheus_;
  kube::Transport* const transport_;
  kube::Timer* const timer_;
  WriteObserver* const observer_;
  IdleMetrics* const metrics_;
  /// By "<namespace>/<name>", because a pod that is not idle any more is not read.
  std::map<std::string, Told> told_;
  /// When the last look began that did not fail, and how many have failed since.
  Clock::time_point looked_;
  std::size_t failed_since_ = 0;
  /// The name of the pod that was read last: where the next look begins.
  std::string read_last_;
  /// When notebooks were evicted in the last minute.
  std::deque<Clock::time_point> evicted_;
};

}  // namespace berth::controller
