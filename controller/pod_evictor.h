#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cluster/snapshot.h"
#include "controller/eviction_plan.h"
#include "controller/movable_pod.h"
#include "controller/retries.h"
#include "controller/write_observer.h"
#include "kube/permission.h"
#include "kube/timer.h"
#include "kube/transport.h"
#include "model/gang.h"
#include "model/time.h"

namespace berth::controller {

/// The rights that PodEvictor needs at the API server, besides those of the snapshot's feed.
inline constexpr kube::Permission kEvictPermissions[] = {{"batch", "jobs", "get"},
                                                         {"", "events", "create"},
                                                         {"", "pods", "list"},
                                                         {"", "pods/eviction", "create"}};

/// Evicts the pods that can go on elsewhere from the nodes that EvictionPlan names, one after the
/// other, through the Eviction API: PodDisruptionBudgets hold, and pods get their grace period. Of
/// a gang, all pods are evicted (EvictGang()). Of the pods of a node, that with the longest grace
/// period comes first. Pods that cannot go on are told so by an event, once.
///
/// It considers only pods that ask for a resource of the catalogue and to which the entry that
/// excludes the node applies, because Berth would not keep the others off the node. For the same
/// reason it leaves pods alone that were created after the node was excluded, or after pods were
/// evicted from it (NodeToEmpty::since): whoever placed them there would do so again.
///
/// It plans anew before each write, so a node that recovers or a breaker that trips stops it at
/// once. A pod that could not be evicted is tried again after 2 s, 4 s and so on up to 5 min.
///
/// Controller owns it. Run() blocks, so give it a thread. Not thread-safe.
class PodEvictor {
 public:
  /// What is evicted, and how fast.
  struct Options {
    /// Without `evict`, Run() returns at once.
    EvictionRules rules;
    /// The full names of annotations: "berth.dev/checkpoint", "berth.dev/max-runtime".
    std::string checkpoint_annotation;
    std::string runtime_annotation;
    model::GangNames gang_names{""};
    /// Returns whether this controller leads. Asked right before each write.
    std::function<bool()> may_write;
    /// The time that is compared with times in the API.
    std::function<model::Time()> now;
    /// From one write to the next.
    std::chrono::milliseconds pace{500};
    /// From one look at the snapshot to the next while there is nothing to do.
    std::chrono::milliseconds interval{1000};
    /// From one look at the pods of a node to the next, for each entry that excludes the node.
    std::chrono::milliseconds look_interval{10'000};
  };

  /// `transport` is connected to the API server. Everything must outlive this.
  PodEvictor(Options options, const cluster::Snapshot* snapshot, kube::Transport* transport,
             kube::Timer* timer, WriteObserver* observer);

  /// Evicts pods while this controller leads and the snapshot is synced. Returns when the timer is
  /// stopped. Each eviction and each event is reported to `observer`, on this thread. A controller
  /// that does not lead plans, too, so that it knows since when nodes are excluded.
  void Run();

 private:
  using Clock = kube::Timer::Clock;

  // Judges the cluster, and makes one write if any is due. Returns whether one was tried.
  bool Step();
  // Looks at the pods of the node, and evicts or tells one. Returns whether a write was tried.
  bool Empty(const NodeToEmpty& node);
  // Has a node from which no more pods may be evicted for now go on to count as being emptied, as
  // long as pods are leaving it.
  void KeepPlace(const NodeToEmpty& node);
  // Returns the pods of the node that are to leave it, in their order. Notes those that leave it
  // already, and reports an error.
  absl::StatusOr<std::vector<RunningPod>> PodsOn(const NodeToEmpty& node);
  bool IsConcerned(const RunningPod& pod, const NodeToEmpty& node) const;
  // Evicts the pod, or says why it stays. Returns whether a write was tried. `youngest` is when the
  // last of the node's pods that are to leave it was created.
  bool Handle(const RunningPod& pod, const NodeToEmpty& node, model::Time youngest);
  absl::StatusOr<Advice> AdviceFor(const RunningPod& pod);
  // Of all pods of the gang, since all of them go.
  absl::StatusOr<Advice> AdviceForGang(const RunningPod& pod, const std::string& gang);
  // What `advice` on `other`, which may be `pod` itself, says to `pod` of the same gang.
  static Advice OfOther(const RunningPod& other, const RunningPod& pod, Advice advice);
  // Of the Job that controls the pod; nothing if none does. Pods that were evicted a moment ago
  // count as ending, because the Job's status may not show them yet.
  absl::StatusOr<std::optional<JobRetries>> RetriesOf(const RunningPod& pod);
  // The gang of the pod; nothing if it has none, or says nonsense.
  std::optional<model::Gang> GangOf(const RunningPod& pod) const;
  // Whether the node is bad now: the snapshot may be old.
  absl::StatusOr<bool> IsStillBad(const NodeToEmpty& node);
  bool EvictIfStillBad(const RunningPod& pod, const NodeToEmpty& node, model::Time youngest);
  bool Evict(const RunningPod& pod, const NodeToEmpty& node, model::Time youngest);
  // Evicts the whole gang of the pod.
  absl::Status EvictGangOf(const RunningPod& pod, const std::string& gang,
                           const std::function<bool()>& is_wanted);
  // Reports the event once in the life of this object, and once at the API server.
  bool Tell(const RunningPod& pod, const NodeToEmpty& node, const std::string& why);

  // Whether the rule of the node allows another eviction in this minute.
  bool HasEvictionsLeft(const NodeToEmpty& node);
  // Whether the node is being emptied, or its rule allows another node of its pool to be.
  bool MayBeEmptied(const NodeToEmpty& node) const;
  // Notes that pods are about to leave the node.
  void OnLeaving(const NodeToEmpty& node);
  // Notes that a pod of each of these Jobs was, or may have been, evicted.
  void NoteForJobs(const std::vector<std::string>& paths);

  const Options options_;
  const cluster::Snapshot* const snapshot_;
  kube::Transport* const transport_;
  kube::Timer* const timer_;
  WriteObserver* const observer_;
  EvictionPlan plan_;
  // The keys are UIDs of pods.
  Retries retries_;
  // The gangs, "<namespace>/<gang>", of which a pod had to wait at this look at a node.
  std::set<std::string> waiting_gangs_;
  // When the pods of a node may be looked at again for an entry. Each entry is about other pods.
  std::map<std::pair<std::string, EntryKey>, Clock::time_point> looked_at_;
  // By node: its pool, and until when it counts as being emptied.
  std::map<std::string, std::pair<model::AcceleratorCatalog::Index, Clock::time_point>> emptying_;
  // By condition: when pods were evicted in the last minute.
  std::map<std::string, std::deque<Clock::time_point>> evicted_;
  // By the path of a Job: until when its status may not show pods of it that were evicted.
  std::map<std::string, std::vector<Clock::time_point>> of_jobs_;
  // The pods that were told something, by UID and what it was about: the last kMostTold.
  static constexpr std::size_t kMostTold = 4096;
  std::set<std::string> told_;
  std::deque<std::string> told_order_;
};

}  // namespace berth::controller
