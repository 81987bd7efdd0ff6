#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "model/cluster_view.h"
#include "model/gang.h"
#include "model/pod.h"
#include "model/time.h"
#include "planner/candidates.h"
#include "planner/config.h"
#include "planner/gang_change.h"
#include "planner/gangs.h"
#include "planner/planned_view.h"
#include "planner/round.h"
#include "planner/state.h"
#include "planner/step.h"
#include "planner/waiting_pod.h"
#include "planner/worths.h"
#include "policies/fit/fit.h"
#include "policies/scheduling/engine.h"

namespace berth::planner {

/// Decides which waiting pods get which node, of all nodes of the cluster.
///
/// kube-scheduler looks at a sample of the nodes. But if status.nominatedNodeName of a pod names a
/// node, it looks at that one alone, and at the sample only if the pod does not fit there
/// (evaluateNominatedNode in k8s.io/kubernetes/pkg/scheduler/schedule_one.go, v1.36.3). So the plan
/// nominates nodes:
/// - for pods that kube-scheduler has refused although a node fits (rescue), and
/// - if `planner.backlog` says so, for pods that wait behind others (backlog).
///
/// It never promises more than a node has: a nominated pod counts as if it were bound, whoever has
/// nominated it and whatever its priority, because kube-scheduler counts it, too, and refuses
/// a node that was promised too often. A promise of the plan ends when the pod is bound or
/// gone, when somebody else nominates it, when kube-scheduler did not take the node, and when its
/// node is no longer fit: then the plan nominates another node, or withdraws. It never changes a
/// nomination that still fits for a better one, nor one of others. See WaitingPod for how it learns
/// what became of a nomination.
///
/// Where no node fits a refused pod, it may still preempt. kube-scheduler looks for victims only on
/// nodes of its sample, and on the nominated one: that has failed, so it is a candidate, whatever
/// the sample (findCandidates in k8s.io/kubernetes/pkg/scheduler/framework/preemption/
/// preemption.go, v1.36.3). So the plan nominates the node on which evictions do the least harm,
/// for WaitingPod::kUnanswered at most. Such a nomination promises nothing. It is booked only for
/// the pods behind it in the queue, for which kube-scheduler counts it.
///
/// Pods that need what policies/fit does not know are left to kube-scheduler, and so are those of
/// which not everything is kept that they need (policies/fit/trimmed_pod.h). One thing is not
/// seen: a running pod's required anti-affinity to the waiting one. kube-scheduler then clears the
/// nomination, and the plan avoids that node first.
///
/// Tell it of all waiting pods, those of other schedulers among them, because their nominations
/// count; and call Plan() from time to time. Equal calls give equal steps. No I/O, no clock. Not
/// thread-safe.
class Planner {
 public:
  using Clock = std::chrono::steady_clock;

  /// How many nominations of pods that kube-scheduler has not tried stand at once. It copies all
  /// nominated pods of each node that it looks at for another pod.
  static constexpr std::size_t kMaxStanding = 512;
  /// How long a pod that kube-scheduler has not tried yet waits at least before it is planned.
  static constexpr std::chrono::milliseconds kBacklogAge{200};
  /// How many more pods than `planner.backlog` says are left to kube-scheduler after a step that
  /// was late. With each nomination in time it is one less again, so that one of so many is late.
  static constexpr std::int32_t kLateLead = 16;
  static constexpr std::int32_t kMaxLead = 1024;
  /// For how long the node of a pod that waits no longer stays promised if the view does not show
  /// the pod there: the watch of bound pods may lag behind the watch of waiting ones.
  static constexpr std::chrono::seconds kLeaving{5};
  /// How long after all nodes were judged for a shape, and none fitted, they are judged again.
  static constexpr std::chrono::milliseconds kLookAgain{100};

  /// How many nominations for which pods have to be evicted stand at once. Most of them stand for a
  /// second.
  static constexpr std::size_t kMaxEvictions = 16;
  /// For how many pods one Plan() at most looks at all nodes for victims, some 10 ms each at 7,500
  /// nodes; and how long after none were found for a shape and a priority it looks again.
  static constexpr std::size_t kSearches = 2;
  static constexpr std::chrono::seconds kSeekAgain{1};

  /// For how many shapes the worth of nodes is remembered, some 240 KiB each at 7,500 nodes. Of
  /// more, all are forgotten.
  static constexpr std::size_t kShapes = 64;

  using SeenBound = planner::SeenBound;

  Planner(std::shared_ptr<const policies::scheduling::SchedulingEngine> engine,
          PlannerConfig config);
  Planner(const Planner&) = delete;
  Planner& operator=(const Planner&) = delete;

  /// A waiting pod, new or changed, as the list-and-watch reports it. A pod that is bound or has
  /// ended is removed.
  void Upsert(model::Pod given, Clock::time_point now);
  /// The pod waits no longer: it is bound or gone. Has no effect if it is unknown, or if another
  /// pod has its name by now.
  void Remove(const model::Pod& pod);
  /// A full list begins; EndReplace() removes the pods that were not upserted since.
  void BeginReplace() { ++epoch_; }
  void EndReplace();
  /// A pod of that name exists but cannot be read. The pod that is known by it waits on, or is gone
  /// if its UID is another one. `uid` is empty if it cannot be read either.
  void Keep(const std::string& namespace_name, const std::string& name, const std::string& uid);
  /// Whether a round has nothing to do: no pods wait, or are about to be shown bound.
  bool empty() const { return waiting_.empty() && leaving_.empty(); }

  /// Returns what to write, in that order, and counts it as written. Steps that could not be
  /// written are taken back by Failed(). Nothing before the first list of waiting pods is complete,
  /// because one that is unknown may have a nomination. The view must be complete, and have whole
  /// pods. `time` is the time for policies, `now` that of waits. At most `most` steps are
  /// for pods that kube-scheduler has not tried; those that it has refused cannot wait.
  /// Gangs are planned whole, however many steps that takes; see Gangs.
  std::vector<Step> Plan(const model::ClusterView& view, const SeenBound& seen_bound,
                         model::Time time, Clock::time_point now, std::size_t most = kMaxStanding,
                         const GangFacts& gangs = {});

  /// Call it instead of Plan() while another controller leads. Forgets the pods that wait no
  /// longer, which only plans need and forget.
  void Skip() {
    leaving_.clear();
    gangs_.Forget();
  }

  /// Whether the step is still to be written: its pod waits, and the plan has not changed its mind.
  bool IsWanted(const Step& step) const;

  /// The step was not written. Has no effect if the plan has changed its mind since. `why`: what
  /// the API server said, or that it did not answer; empty if the step came too late.
  void Failed(const Step& step, std::string_view why = {}, Failure failure = Failure::kRefused);
  /// The step came too late: kube-scheduler had taken the pod. From now on more pods are left to it
  /// before the first one that is planned.
  void Late(const Step& step);

  /// What the last Plan() made of a pod. Nothing if it does not wait.
  std::optional<Outlook> Find(std::string_view namespace_name, std::string_view name) const;

  /// The gangs of which pods wait. None unless `planner.gangs` is enabled.
  const Gangs& gangs() const { return gangs_; }

  /// Gangs::OldestWaiting(), or when a pod was created that waits for longer behind the gate of
  /// gangs, and of which one cannot read to which gang it belongs. Nobody lets it go.
  model::Time OldestGated() const;

  /// How many pods wait in each State, as of the last Plan().
  const std::array<std::size_t, kStates>& states() const { return states_; }

  /// How many pods of kLeftToScan there are, by what is not known.
  const std::map<policies::fit::Unknown, std::size_t>& left_to_scan() const {
    return left_to_scan_;
  }

  /// The answer to a step of the kind kCount.
  void OnSucceeded(const Step& step, const SucceededPods& pods) { gangs_.OnSucceeded(step, pods); }

  /// Returns what has become of gangs since the last call.
  std::vector<GangChange> TakeGangChanges() { return std::exchange(gang_changes_, {}); }

  /// Returns the nominations of the plan that have ended since the last call.
  std::vector<Ended> TakeEnded() { return std::exchange(ended_, {}); }

 private:
  struct Waiting {
    WaitingPod pod;
    // Equal for pods that fit the same nodes equally well. Empty if `excess` is not.
    std::string shape = {};
    // Why kube-scheduler has to find a node for it.
    policies::fit::Unknown unknown = policies::fit::Unknown::kNone;
    // If that is kTooLarge, ExcessOf() the pod: what is kept of it must not be judged.
    std::string excess = {};
    // How many accelerators it asks for.
    std::int64_t devices = 0;
    // Set if gangs are planned and it belongs to one.
    std::optional<model::Gang> gang = {};
    // Whether gangs are planned, and only their gate holds it back, but it belongs to none that can
    // be read.
    bool is_stray = false;
    // Whether it waits for the PodGroup of its gang. Of one round.
    bool lacks_group = false;
    std::uint32_t epoch = 0;
    State state = State::kHead;
  };

  // A pod that waits no longer, and the node that was nominated for it.
  struct Leaving {
    model::Pod pod;
    std::string node;
    bool ours = false;
    // Its gang, "<namespace>/<gang>". Empty if it has none.
    std::string gang = {};
    // Set by the first Plan() that sees it.
    std::optional<Clock::time_point> until = {};
  };

  using Entries = std::map<std::string, Waiting, std::less<>>;  // by "<namespace>/<name>"

  // Removes a pod, but keeps the node booked that it is bound to, or that was nominated for it if
  // `bound_to` is empty because nobody knows. Returns the next pod.
  Entries::iterator Leave(Entries::iterator entry, const std::string& bound_to = {});
  void End(Outcome outcome, const model::Pod& pod) { ended_.push_back({outcome, pod.created}); }

  // Books the nodes of pods that wait no longer, until the view shows these bound.
  void BookLeaving(Round& round);
  // Returns the waiting pods in the order of kube-scheduler's queue.
  std::vector<Waiting*> Queue(const Round& round);
  // Books the nominations of others: all that kube-scheduler counts is booked before the plan's.
  void BookOthers(const std::vector<Waiting*>& queue, Round& round) const;
  // Returns the pods of gangs, and leaves only the others in the queue.
  static std::vector<Waiting*> TakeGangs(std::vector<Waiting*>& queue);
  void BeginGangs(const std::vector<Waiting*>& pods, Round& round);
  static State StateInGang(const Waiting& waiting);
  // Books the nominations of the plan, and withdraws or replaces those that are wrong.
  void Review(const std::vector<Waiting*>& queue, Round& round);
  // Books a nomination of the plan. Returns false if it is wrong.
  bool Confirm(Waiting& waiting, Round& round);
  // Counts one for which pods have to be evicted. Returns false if it is wrong, or a node fits as
  // it is.
  bool ConfirmEviction(const Waiting& waiting, Round& round);
  void Replace(Waiting& waiting, Round& round);
  // Books the nodes that these pods are likely to take, and clears the list.
  void BookHeads(std::vector<Waiting*>& heads, Round& round);
  // Nominates nodes for pods that have none.
  void Nominate(const std::vector<Waiting*>& queue, Round& round);
  // Nominates a node for one of State kNoNode, and returns what to make of the pod now.
  State Place(Waiting& waiting, Round& round);

  // Whether the plan finds nodes for such pods: kGated, kDeleted, kOtherScheduler, kNoAccelerator,
  // or kNoNode if it does.
  State Eligibility(const Waiting& waiting) const;
  // What to make of the pod: kNoNode if a node is to be found. `ahead` pods come before it.
  State Classify(const Waiting& waiting, std::int32_t ahead, const Round& round) const;
  // The best node for the pod now, but not the one that kube-scheduler did not take if another
  // fits.
  std::optional<model::NodeIndex> Choose(const Waiting& waiting, Round& round);
  // The node on which kube-scheduler should evict pods for this one, if that may help.
  std::optional<model::NodeIndex> ChooseForEviction(const Waiting& waiting, Round& round);
  // Nominates the node, or withdraws.
  void Write(Waiting& waiting, std::optional<model::NodeIndex> node, Round& round);
  // The same, but the node is not booked. `evicts`: kube-scheduler has to evict pods there first.
  void AddStep(Waiting& waiting, std::optional<model::NodeIndex> node, Round& round,
               bool evicts = false);
  // Counts a nomination of the plan that stands.
  void Hold(const Waiting& waiting, model::NodeIndex node, Round& round) const;

  const std::shared_ptr<const policies::scheduling::SchedulingEngine> engine_;
  const PlannerConfig config_;
  const std::string annotation_;
  const model::GangNames gang_names_;
  Entries waiting_;
  std::vector<Leaving> leaving_;
  std::uint32_t epoch_ = 0;  // counts lists
  // Whether a list was ever complete.
  bool listed_ = false;
  // When the youngest pod was created that has waited.
  model::Time latest_creation_ = model::kNoTime;
  // How many pods that kube-scheduler has not tried are left to it before the first one that is
  // planned, and are expected to take the nodes that are best for them.
  std::int32_t lead_;
  // When there were last pods that kube-scheduler had not tried.
  Clock::time_point busy_{};
  // Two for each shape: as nodes are, and as they are without pods.
  WorthMemory memory_{2 * kShapes};
  Gangs gangs_;
  // When no node fitted a shape.
  absl::flat_hash_map<std::string, Clock::time_point> unfit_;
  // When no victims were found for a shape and a priority, and whether the last Plan() did not seek
  // victims for all pods.
  absl::flat_hash_map<std::string, Clock::time_point> helpless_;
  bool unsought_ = false;
  std::array<std::size_t, kStates> states_{};
  std::map<policies::fit::Unknown, std::size_t> left_to_scan_;
  std::vector<Ended> ended_;
  std::vector<GangChange> gang_changes_;
};

}  // namespace berth::planner
