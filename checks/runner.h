#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "checks/check_pod.h"
#include "checks/condition_writer.h"
#include "checks/config.h"
#include "checks/metrics.h"
#include "checks/plan.h"
#include "cluster/snapshot.h"
#include "kube/api_object.h"
#include "kube/json_api.h"
#include "kube/list_watch.h"
#include "kube/permission.h"
#include "kube/timer.h"
#include "kube/transport.h"
#include "model/pod.h"
#include "model/time.h"
#include "policies/scheduling/engine.h"

namespace berth::checks {

/// Runs the checks that Plan orders, in pods; writes what they say of their nodes into the nodes'
/// conditions; and deletes the pods: those that have ended, and at once those whose node a waiting
/// pod wants.
///
/// Such a pod is deleted at once; see DeletePodAtOnce().
///
/// Controller owns it. Run() blocks, so give it a thread. The thread of a list-and-watch of the
/// waiting pods calls the handler's functions. These two threads may use it at the same time.
class Runner final : public kube::ListWatchHandler<model::Pod> {
 public:
  /// What to check, and how often to look.
  struct Options {
    /// Must have passed Validate(). Without any, Run() returns at once.
    std::vector<ActiveCheck> checks;
    CheckPodsConfig pods;
    Names names;
    /// The owner of the pods; nothing: none, or it is not known yet.
    std::function<std::optional<kube::OwnerReference>()> owner;
    /// Returns whether this controller leads. Asked right before each step.
    std::function<bool()> may_write;
    /// The time that is compared with times in the API.
    std::function<model::Time()> now;
    /// From one step to the next.
    std::chrono::milliseconds interval{100};
    /// From one list of the pods to the next while there are any, and while there are none.
    std::chrono::milliseconds list_interval{1000};
    std::chrono::milliseconds idle_interval{15000};
    /// From a pod whose end could not be dealt with to the next try.
    std::chrono::milliseconds retry_interval{10000};
    /// How long after a pod is gone another that is bound to its node counts as the reason:
    /// kube-scheduler deletes the victims of a pod first and binds the pod later, and the pod
    /// comes by another watch than the list of checks.
    std::chrono::milliseconds preemption_time{10000};
  };

  /// The snapshot must have whole pods and the UIDs of nodes. `transport` is connected to the API
  /// server. Everything pointed at must outlive this.
  Runner(Options options, std::shared_ptr<const policies::scheduling::SchedulingEngine> engine,
         const cluster::Snapshot* snapshot, kube::Transport* transport, kube::Timer* timer,
         Metrics* metrics);

  /// Runs checks while this controller leads and the snapshot is synced. Returns when the timer is
  /// stopped.
  void Run();

  /// A full list of the waiting pods begins, and has ended.
  void OnReplaceBegin() override;
  void OnReplaceEnd(const std::string& resource_version) override;
  /// A pod waits, or has changed while it waits.
  void OnUpsert(model::Pod pod) override;
  /// A pod cannot be read; it waits on as it was last known.
  void OnUnreadable(const kube::UnreadableObject& pod) override;
  /// A pod is gone, bound, or has ended.
  void OnDelete(model::Pod pod) override;
  /// Not needed.
  void OnHeard(const std::string&) override {}

 private:
  using Clock = kube::Timer::Clock;

  void Step();
  // Reads the pods anew if it is time. Returns whether they are known.
  bool List();
  // Takes notice of open pods that are gone, though nobody here has deleted them.
  void NoticeGone(const std::vector<CheckPod>& listed);
  // Says of pods that are gone why, as soon as that is known.
  void ExplainGone();
  // Whether a pod uses devices of the node.
  bool IsUsed(const std::string& node) const;
  // Deals with one pod that has ended, if there is one.
  void Conclude();
  // Returns the pod that has ended and whose turn comes first, or the end of the list. New ones
  // come before those that are tried again, so that a pod that cannot be dealt with holds up no
  // others.
  std::vector<CheckPod>::iterator NextEnded();
  // When to deal with a pod that has ended; the beginning of time if that was not tried yet.
  Clock::time_point TurnOf(const CheckPod& pod) const;
  // Forgets of pods that are gone when to try again, and that they were told of.
  void PrunePods();
  absl::Status Conclude(const CheckPod& pod);
  // Writes what the check has found. Returns an error if that is to be tried again.
  absl::Status Tell(const CheckPod& pod, const ActiveCheck& check);
  Plan::Round Decide();
  void End(const CheckPod& pod, const Plan::Ending& ending);
  void Begin(const Order& order);
  absl::Status Create(const Order& order);
  absl::Status Delete(const CheckPod& pod);
  void ReportRunning();
  // Forgets everything about pods: another controller leads.
  void Forget();

  const Options options_;
  const cluster::Snapshot* const snapshot_;
  kube::Transport* const transport_;
  kube::Timer* const timer_;
  Metrics* const metrics_;
  kube::Api api_;
  ConditionWriter writer_;

  // Of all checks, as of the last list, and what was done since.
  std::vector<CheckPod> pods_;
  std::optional<Clock::time_point> listed_;
  // Those that are gone, with the time of it, for which nobody knows the reason yet.
  std::vector<std::pair<CheckPod, Clock::time_point>> gone_;
  // When to try again to deal with pods that have ended, by UID.
  std::map<std::string, Clock::time_point> retries_;
  // The UIDs of pods of which everything was told, and which could not be deleted yet.
  std::set<std::string> told_;

  // Guards plan_, which both threads use.
  std::mutex mutex_;
  Plan plan_;
};

}  // namespace berth::checks
