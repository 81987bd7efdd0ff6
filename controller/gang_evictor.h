#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "controller/movable_pod.h"
#include "kube/permission.h"
#include "kube/transport.h"
#include "model/gang.h"
#include "model/pod.h"
#include "model/time.h"
#include "planner/step.h"

namespace berth::controller {

// What is done with all pods of a gang. They have to be listed: what two watches have shown, of the
// pods that wait and of those that are bound, may lack one that is bound just now.

/// The rights that these and Patcher::ReportEvent() need at the API server.
inline constexpr kube::Permission kGangPermissions[] = {{"batch", "jobs", "list"},
                                                        {"", "events", "create"},
                                                        {"", "pods", "list"},
                                                        {"", "pods/eviction", "create"},
                                                        {"policy", "poddisruptionbudgets", "list"}};

/// Evicts one pod through the Eviction API; with `dry_run`, only asks whether it may be. Returns OK
/// if it is gone already, ResourceExhausted if a PodDisruptionBudget is in the way, and else the
/// errors of kube::CallJson(), with the pod's name.
absl::Status EvictPod(kube::Transport& transport, const model::Pod& pod, bool dry_run);

/// A gang that is to be evicted.
struct GangToEvict {
  std::string namespace_;
  std::string gang;
  /// The time before its pods were listed, which is compared with times in the API.
  model::Time now = model::kNoTime;
  /// Whether it is still to be evicted. Called once, on the same thread.
  std::function<bool()> is_wanted;
  /// Whether its namespace may have PodDisruptionBudgets; see MayHaveBudgets().
  bool may_have_budgets = true;
};

/// Evicts pods, in any order and several at once if it can, or asks only whether that may be done
/// (`dry_run`). Returns the first error; then some may not have been asked for.
using EvictPods = std::function<absl::Status(const std::vector<RunningPod>& pods, bool dry_run)>;

/// The pods of gangs, by the name of the gang, trimmed, with the annotations `eviction` and `freed`
/// of model::GangNames. Unavailable for a gang of which, perhaps, a pod cannot be read.
using PodsByGang = std::map<std::string, absl::StatusOr<std::vector<RunningPod>>>;

/// Lists the pods of these gangs that have not ended and are not being deleted. What controls them
/// is not read. All pods of the namespace are read for it, so ask for several gangs at once. Blocks
/// until the API server has answered.
absl::StatusOr<PodsByGang> PodsOfGangs(kube::Transport& transport,
                                       const std::string& namespace_name,
                                       const std::set<std::string>& gangs,
                                       const model::GangNames& names);

/// The same for one gang, with what controls its pods. That takes the API server several times as
/// long.
absl::StatusOr<std::vector<RunningPod>> PodsOfGang(kube::Transport& transport,
                                                   const std::string& namespace_name,
                                                   const std::string& gang,
                                                   const model::GangNames& names);

/// Whether the namespace may have PodDisruptionBudgets: false if the API server says that it has
/// none. Blocks until the API server has answered.
bool MayHaveBudgets(kube::Transport& transport, const std::string& namespace_name);

/// Evicts all pods of a gang, bound or not, through the Eviction API, so that budgets hold, pods
/// get their grace period, and those who retry the pods do. First it asks for each pod whether it
/// may be evicted: if one may not, none is, because the others would be made anew without it. Where
/// there is no budget, it asks for a few pods of each controller only: whatever else refuses
/// evictions, such as a policy, refuses most or none of these. Asking takes its time, so
/// `is_wanted` tells afterwards whether they are still to be evicted; if not, none is, and it
/// returns Aborted.
///
/// The eviction may end half-way: a budget may allow each pod by itself and not all of them, or the
/// API server may go away. Then the first error is returned, with the pod's name. Of the pods that
/// are bound, one goes last, which says from before the first one goes until its own end that the
/// eviction has begun (model::GangEvictionOf()), for EvictRestOfGang(). If that pod ends by itself,
/// nobody can tell any more.
///
/// `pods` is what PodsOfGangs() has just returned. Blocks until the API server has answered. A pod
/// that is gone is no error. `evict` evicts the pods; if it is not set, one goes after the other.
///
///   POST /api/v1/namespaces/ml/pods/train-0/eviction
///   {"apiVersion":"policy/v1","deleteOptions":{"dryRun":["All"],"preconditions":{"uid":"..."}},
///    "kind":"Eviction","metadata":{"name":"train-0","namespace":"ml"}}
///   ... the same for each other pod, or for a few of them
///   PATCH /api/v1/namespaces/ml/pods/train-3
///   {"metadata":{"annotations":{"berth.dev/gang-eviction":"2026-01-31T12:00:00Z pods=4"},
///    "uid":"..."}}
///   ... the first for each pod without dryRun, at last for train-3
absl::Status EvictGang(kube::Transport& transport, const GangToEvict& gang,
                       std::vector<RunningPod> pods, const model::GangNames& names,
                       const EvictPods& evict = {});

/// Goes on with an EvictGang() that has ended half-way: evicts the pods that were created before it
/// began, and at last the one that says when that was. It asks first only if none of them has gone.
/// Returns Aborted, and evicts nobody, if no pod says so, or not of the last ten minutes, and if
/// any pod was let go by hand. Else it returns as EvictGang() does.
absl::Status EvictRestOfGang(kube::Transport& transport, const GangToEvict& gang,
                             std::vector<RunningPod> pods, const model::GangNames& names,
                             const EvictPods& evict = {});

/// Returns how many pods of each gang of the namespace have succeeded and come never again: those
/// of Jobs that also have a pod in the gang that has not ended, or whose JobSet has. An index of an
/// Indexed Job counts once. The Job controller makes none of them again. Other pods may be of a
/// gang of the same name before it, as where a CronJob's template names the gang. Of each Job it
/// counts its pods that are there, or what its status.succeeded says, if that is more: pods that
/// have succeeded may have been deleted since then. A Job of which no pod is left does not count,
/// because its JobSet does not tell which gang it was in. Blocks until the API server has answered.
absl::StatusOr<planner::SucceededPods> CountSucceeded(kube::Transport& transport,
                                                      const std::string& namespace_name,
                                                      const model::GangNames& names);

}  // namespace berth::controller
