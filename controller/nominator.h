#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cluster/snapshot.h"
#include "controller/eviction_batches.h"
#include "controller/gang_feed.h"
#include "controller/kept_rooms.h"
#include "controller/patcher.h"
#include "controller/planner_metrics.h"
#include "controller/pod_groups.h"
#include "controller/scheduler_leases.h"
#include "controller/write_observer.h"
#include "kube/list_watch.h"
#include "kube/timer.h"
#include "model/gang.h"
#include "planner/planner.h"
#include "policies/scheduling/engine.h"

namespace berth::controller {

/// Writes what planner::Planner decides: the nominated nodes of pods that wait.
///
/// It takes the unassigned pods from a list-and-watch, which calls the On... methods on its own
/// thread. Run() plans, and several threads write what it has planned, because under load the API
/// server takes tens of milliseconds for a write, and kube-scheduler places a hundred pods a second
/// meanwhile. All these threads may use it at the same time. Controller owns it.
class Nominator final : public kube::ListWatchHandler<model::Pod> {
 public:
  /// What to plan, and how often.
  struct Options {
    planner::PlannerConfig planner;
    /// Full name of the annotation that marks the plan's nominations: "berth.dev/plan".
    std::string annotation;
    /// The same for what a nomination is for: "berth.dev/plan-for".
    std::string purpose_annotation = {};
    /// The same for the kube-scheduler that nominations of gangs are for: "berth.dev/plan-lease".
    std::string lease_annotation = {};
    /// By which pods state their gang. `gate` is also the type of the condition that says why it
    /// waits.
    model::GangNames gang_names{"berth.dev"};
    /// Returns whether this controller leads. Asked before each round.
    std::function<bool()> may_write;
    /// Returns which kube-scheduler leads; may block for some requests. Asked before each round in
    /// which a gang may be released, and else every kTermAge. Not set: nobody knows.
    std::function<SchedulerTerm()> scheduler_term = {};
    /// Returns which PodGroups there are; may block for a request. Asked before each round while
    /// there are gangs or PodGroups. Not set: planner.gangs.podGroups is off.
    std::function<const PodGroupReader::Known&()> pod_groups = {};
    /// See planner::GangFacts::preflight. Called during rounds, so it must not block for requests.
    planner::AskPreflight preflight = {};
    /// Is told of gangs. May be null; must outlive the Nominator.
    GangFeed* gang_feed = nullptr;
    /// Is told what is kept for gangs. May be null; must outlive the Nominator.
    KeptRooms* kept_rooms = nullptr;
    /// The time for policies.
    std::function<model::Time()> now;
    /// From one round to the next, if something has changed. A pod that was refused shall have a
    /// nomination within 200 ms.
    std::chrono::milliseconds interval{100};
    /// From one round to the next, if nothing has changed.
    std::chrono::milliseconds idle{1000};
  };

  /// The snapshot has the nodes and all bound pods, whole. Everything pointed at must outlive this.
  Nominator(Options options, std::shared_ptr<const policies::scheduling::SchedulingEngine> engine,
            const cluster::Snapshot* snapshot, kube::Timer* timer, WriteObserver* observer,
            PlannerMetrics* metrics);

  /// How old what `scheduler_term` said may be when a gang is planned. kube-scheduler renews its
  /// Lease as often.
  static constexpr std::chrono::seconds kTermAge{2};
  /// For how long no gang is released because nobody can say which kube-scheduler leads. Then gangs
  /// are released by what was last known: the right to read the Lease may be missing for good.
  static constexpr std::chrono::seconds kTermPatience{60};
  /// For how long a new leader does not say what is kept because nobody knows which PodGroups there
  /// are. Then room that its predecessor kept for gangs of PodGroups is given up: the right to list
  /// them may be missing for good.
  static constexpr std::chrono::seconds kKeptPatience{60};
  /// How many threads should call RunWriter().
  static constexpr std::size_t kWriters = 16;
  /// How many of them at most evict a gang, and how many at most help with that: the others are for
  /// gangs that start.
  static constexpr std::size_t kEvictors = 12;
  /// How many nominations at most wait for a writer. What waits longer is out of date.
  static constexpr std::size_t kMaxQueued = 64;
  /// While so much is still to be told of gangs, they get no more news.
  static constexpr std::size_t kMaxNews = 64;

  /// Plans while this controller leads, both lists are there, and pods wait. Blocks until the timer
  /// is stopped, but returns at once if no scheduler's pods are planned.
  void Run();

  /// Writes what Run() plans, until Stop(). `patcher` is used by this call alone. Each write is
  /// reported to `observer`, on this thread.
  void RunWriter(Patcher* patcher);
  /// Writes what is planned now, and returns.
  void WriteQueued(Patcher* patcher);

  /// Ends RunWriter() on all threads.
  void Stop();

  /// See kube::ListWatchHandler. A pod that cannot be read waits on as it was last known.
  void OnReplaceBegin() override;
  void OnReplaceEnd(const std::string& resource_version) override;
  void OnUpsert(model::Pod pod) override;
  void OnUnreadable(const kube::UnreadableObject& pod) override;
  void OnDelete(model::Pod pod) override;
  /// Not needed: a round begins with what is known.
  void OnHeard(const std::string&) override {}

 private:
  using Clock = kube::Timer::Clock;

  // Whether a round may find something to do.
  bool IsDue();
  // Learns which kube-scheduler leads.
  void ReadTerm();
  bool IsTermDue();
  // Learns which PodGroups there are.
  void ReadGroups();
  bool AreGroupsDue();
  void PlanOnce();
  // Counts, logs and passes on what has become of gangs, and what is kept for them. The lock must
  // be held, as for the next one.
  void TellGangs();
  void TellKept();
  // What is done instead while this controller does not lead.
  void Skip();
  // Tells all who follow the plan that there is none.
  void TellIdle();
  // Writes the next step, if there is one. The lock, which must be held, is released meanwhile.
  // Returns false if there is none.
  bool WriteNext(std::unique_lock<std::mutex>& lock, Patcher& patcher);
  // Takes the next step that is still wanted; if that evicts a gang, all that evict gangs of its
  // namespace. The lock must be held, as for the next one.
  std::vector<planner::Step> TakeSteps();
  std::optional<planner::Step> TakeFrom(std::deque<planner::Step>& queue);
  absl::Status Send(const planner::Step& step, Patcher& patcher);
  // The step was written, or could not be.
  void OnWritten(const planner::Step& step, const absl::Status& status);
  // Whether a writer may take what only tells users of gangs. While gangs are evicted, which is
  // urgent, it takes one a second.
  bool MayTell() const;
  // Lists the pods of gangs of one namespace, so that any writer can evict these.
  void ListGangs(const std::vector<planner::Step>& steps, Patcher& patcher);
  struct ListedGang;
  absl::Status EvictGang(const ListedGang& gang, Patcher& patcher);
  // For a step of the kind kCount. If the answer is not known, the plan asks again.
  void Count(const planner::Step& step, Patcher& patcher);

  const Options options_;
  const cluster::Snapshot* const snapshot_;
  kube::Timer* const timer_;
  WriteObserver* const observer_;
  PlannerMetrics* const metrics_;

  // Of the last round: when it began, how long it planned, and what it has seen.
  Clock::time_point planned_;
  Clock::duration took_{};
  std::uint64_t generation_ = 0;
  // The gangs that are being evicted, "<namespace>/<name>". Guarded by the lock.
  std::set<std::string> evicting_;
  // When the first round was since it leads.
  std::optional<Clock::time_point> first_planned_;
  // What `scheduler_term` said last, when that was, and when it was last certain, or first asked.
  SchedulerTerm term_;
  std::optional<Clock::time_point> term_read_;
  Clock::time_point term_certain_;
  // The same for `pod_groups`. Null: never.
  const PodGroupReader::Known* groups_ = nullptr;
  Clock::time_point groups_read_;

  // A gang that is to be evicted, and its pods, as they were listed at that time or later.
  struct ListedGang {
    planner::Step step;
    model::Time listed = model::kNoTime;
    bool may_have_budgets = true;
    absl::StatusOr<std::vector<RunningPod>> pods;
  };

  // Guards what follows, which all threads use.
  std::mutex mutex_;
  std::condition_variable queued_;
  bool stopped_ = false;
  planner::Planner planner_;
  // Planned and not written yet. What only tells users of gangs is apart, in `news_`, and written
  // when nothing else is to be: of a large gang there are thousands of such steps. One writer at a
  // time takes them, so that what is told of a pod later is written later.
  std::deque<planner::Step> queue_;
  std::deque<planner::Step> news_;
  // The gangs that no writer evicts yet, how many writers evict one, and the pods of these.
  std::deque<ListedGang> listed_gangs_;
  std::size_t evictors_ = 0;
  // Whether a writer lists the pods of gangs.
  bool is_listing_ = false;
  EvictionBatches batches_{kEvictors, &queued_};
  bool is_telling_ = false;
  Clock::time_point told_;
  bool listed_ = false;
  // Whether a waiting pod has changed since the last round, or there was none since it leads.
  bool changed_ = false;
};

}  // namespace berth::controller
