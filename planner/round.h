#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "model/cluster_view.h"
#include "model/gang.h"
#include "model/kept_room.h"
#include "model/pod.h"
#include "model/time.h"
#include "planner/candidates.h"
#include "planner/gang_change.h"
#include "planner/planned_view.h"
#include "planner/preflight.h"
#include "planner/state.h"
#include "planner/step.h"
#include "planner/worths.h"
#include "policies/scheduling/engine.h"

namespace berth::planner {

/// Whether the view has shown that pod bound, now or earlier; the arguments are
/// "<namespace>/<name>" and the UID. See cluster::Snapshot::Reader::WasSeenBound.
using SeenBound = std::function<bool(const std::string& key, const std::string& uid)>;

/// A PodGroup that Berth has created.
struct KnownPodGroup {
  std::string uid = {};
  /// Whether kube-scheduler may place its pods. If not, they wait as if it were not there.
  bool is_open = true;
  /// Whether somebody has let its pods go by hand.
  bool is_freed = false;
};
/// By "<namespace>/<name>".
using PodGroups = std::map<std::string, KnownPodGroup>;

/// What the plan has to know for gangs beside the pods that wait.
struct GangFacts {
  /// The nodes of the pods of the gang "<namespace>/<gang>" that are bound and neither have ended
  /// nor are being deleted, one for each pod. If it is not set, the plan takes gangs of which it
  /// knows nothing for new.
  std::function<std::vector<std::string>(const std::string& gang)> running = {};
  /// When these pods were bound. Empty if that is not known of all of them. If it is not set,
  /// nothing is known of any.
  std::function<std::vector<model::Time>(const std::string& gang)> bound = {};
  /// The evictions of whole gangs that have begun and not ended, by the same.
  std::map<std::string, model::GangEviction> evictions = {};
  /// Who holds kube-scheduler's Lease, and since how many transitions: a kube-scheduler up to 1.36
  /// that starts does not know the nominations of gated pods. Empty if there is no such Lease.
  std::string lease = {};
  /// Whether that is so now. If not, no gated pod of a gang is let go.
  bool is_lease_certain = true;
  /// The PodGroups that there are. Null if that is not known; then no pod is let go that waits for
  /// one.
  const PodGroups* pod_groups = nullptr;
  /// Why it is not known: a clause. Empty if it is known, or if nobody has asked.
  std::string pod_groups_obstacle = {};
  /// Whether users may be told of news of gangs. If not, what they were to be told before is still
  /// being written.
  bool may_tell = true;
  /// Whether a gang may be released that has its nodes. Not set: it may.
  AskPreflight preflight = {};
};

/// Where a pod or a gang comes in the order of planning; the smaller one comes first. As
/// kube-scheduler's PrioritySort
/// (k8s.io/kubernetes/pkg/scheduler/framework/plugins/queuesort/priority_sort.go, v1.36.3), but for
/// pods that were tried: these are sorted by creation, too.
using QueuePlace = model::PlanningPlace;
inline QueuePlace PlaceInQueue(const model::Pod& pod) {
  return {-std::int64_t{pod.priority}, pod.created};
}

/// What one Planner::Plan() works on: the cluster, and a ledger of what is promised in it. Single
/// pods and gangs share it, so that nothing is promised twice. Not thread-safe.
struct Round {
  using Clock = std::chrono::steady_clock;

  const policies::scheduling::SchedulingEngine& engine;
  const model::ClusterView& view;
  const SeenBound& seen_bound;
  const GangFacts& gangs;
  /// Remembers from one round to the next.
  WorthMemory& memory;
  model::Time time;
  Clock::time_point now;
  /// When the youngest pod was created that has ever waited: by the API server's clock it is not
  /// earlier now. kNoTime if none has.
  model::Time latest_creation;
  /// How many more pods that were not refused may get a nomination.
  std::size_t left;
  /// For how many more pods victims may be sought.
  std::size_t searches;

  /// The ledger: all that is promised, and what is kept for gangs that wait.
  PlannedView planned{view};
  /// The same without what is kept. Not set while nothing is.
  std::optional<PlannedView> unkept = {};
  /// Pods that have ended by then may use what is kept.
  model::Time kept_until = model::kForever;
  /// By shape: on `planned`, and on `unkept`.
  using ByShape = absl::flat_hash_map<std::string, std::shared_ptr<Candidates>>;
  ByShape candidates = {};
  ByShape unkept_candidates = {};
  /// Nominations of the plan for pods that kube-scheduler has not tried.
  std::size_t standing = 0;
  /// Nominations of the plan for which pods have to be evicted.
  std::size_t evictions = 0;
  std::vector<Step> steps = {};
  /// Nominations of gangs that have ended.
  std::vector<Ended> ended = {};
  /// The gangs, "<namespace>/<gang>", of which pods wait no longer and are not shown bound yet.
  std::set<std::string> leaving = {};
  /// What is new of gangs.
  std::vector<GangChange> changes = {};

  /// Books a pod that is promised the node.
  void Book(const model::Pod& pod, model::NodeIndex node) {
    planned.Book(pod, node);
    if (unkept) unkept->Book(pod, node);
  }
  /// Books the pod if its node exists.
  void Book(const model::Pod& pod, const std::string& node) {
    if (const auto index = view.Find(node)) Book(pod, *index);
  }
  /// Keeps room on the node for a pod to which nothing is promised: nobody gets it who comes later,
  /// but for pods that have ended before `until`.
  void Keep(const model::Pod& pod, model::NodeIndex node, model::Time until) {
    if (!unkept) unkept.emplace(planned);
    planned.Book(pod, node);
    kept_until = std::min(kept_until, until);
  }

  /// The nodes for pods of that shape, of which `pod` is one.
  std::shared_ptr<Candidates> Of(const std::string& shape, const model::Pod& pod) {
    return Find(candidates, shape, pod, planned);
  }
  /// The same, including the nodes that are kept.
  std::shared_ptr<Candidates> OfUnkept(const std::string& shape, const model::Pod& pod) {
    return unkept ? Find(unkept_candidates, shape, pod, *unkept) : Of(shape, pod);
  }

 private:
  // The candidates of so many shapes and nodes are remembered: some 50 bytes for each.
  static constexpr std::size_t kMostRemembered = 1'000'000;

  std::shared_ptr<Candidates> Find(ByShape& of, const std::string& shape, const model::Pod& pod,
                                   const PlannedView& ledger) {
    const auto known = of.find(shape);
    if (known != of.end()) return known->second;
    const std::size_t shapes = candidates.size() + unkept_candidates.size();
    if (shapes * view.EndIndex() >= kMostRemembered) {
      candidates.clear();
      unkept_candidates.clear();
    }
    auto made = std::make_shared<Candidates>(engine, pod, ledger, time);
    const std::string key = made->Key();
    made->Remember(memory.Of(key), memory.Of(key + "|idle"));
    of.emplace(shape, made);
    return made;
  }
};

}  // namespace berth::planner
