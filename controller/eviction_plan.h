#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "controller/config.h"
#include "model/accelerator.h"
#include "model/cluster_view.h"
#include "model/time.h"
#include "policies/scheduling/health_config.h"

namespace berth::controller {

/// For which conditions nodes are emptied. A plain value.
struct EvictionRules {
  /// Empty: no node is.
  std::vector<EvictConfig> evict;
  /// Which conditions exclude nodes, and their breaker.
  policies::scheduling::HealthConfig health;
};

/// What tells the entries of the health rules apart: their type, resources and maxRuntime.
using EntryKey = std::tuple<std::string, std::vector<std::string>, model::Duration>;

EntryKey EntryKeyOf(const policies::scheduling::HealthCondition& entry);

/// A node whose pods are to go. A plain value.
struct NodeToEmpty {
  std::string node;
  std::string uid;
  model::AcceleratorCatalog::Index accelerator = model::AcceleratorCatalog::kNone;
  /// The rule by which they are, and the entry of the health rules that excludes the node.
  EvictConfig rule;
  policies::scheduling::HealthCondition entry;
  /// When the node was excluded at the latest, by the clock of the API server: what was created
  /// later was placed there all the same. That is when this plan first saw it, and
  /// model::kClockError for its own clock. Of what it found at its first look, or when it could
  /// read the node again, it is when the fault began by the condition, and as much for the node's
  /// clock, if that is earlier; but not if breakers penalise, as one may have opened the node. Once
  /// pods were evicted, it is no later than what OnEvicting() was told.
  model::Time since = model::kNoTime;
  /// How many nodes of its pool may be emptied at a time.
  std::size_t at_once = 1;
};

/// Whether the entry's condition is bad on the node: not Unknown.
bool IsBadNow(const policies::scheduling::HealthCondition& entry, const model::Node& node);

/// Decides which nodes are to be emptied. A node is if
/// - an Exclude entry of the health rules for the condition of one of the rules has excluded it for
///   the rule's `after`, as this plan has seen without a break, by a clock that never jumps. Times
///   in the node's object do not count for that, nor does it matter whether heartbeats go on;
/// - the condition is bad now: not Unknown, nor kept because it was bad until a moment ago;
/// - it is Ready, and not in quarantine. kube-controller-manager has evicted the pods of nodes that
///   are not;
/// - nobody stands back in the node's pool.
///
/// For each entry, the plan stands back in a pool while the breaker of the condition is tripped
/// there, whatever its action, or while more than health.breaker.fraction of the pool's nodes,
/// rounded down, are away: excluded by that entry or by any for all pods, cordoned, or not Ready.
/// Then `after` starts anew for the entry on all nodes of the pool: a detector that lies about half
/// the pool, and takes that back node by node, moves no pod. The same goes for a node that cannot
/// be read. NodeToEmpty::since stays, unless the breaker penalises, and so opens the nodes.
///
/// No I/O, no clock. Not thread-safe.
class EvictionPlan {
 public:
  using Clock = std::chrono::steady_clock;

  explicit EvictionPlan(EvictionRules rules) : rules_(std::move(rules)) {}

  /// Returns the nodes that are to be emptied, those that are excluded the longest first. Call it
  /// from time to time, because what was seen is remembered only from one call to the next. `time`
  /// is compared with times in the API, `now` with that of earlier calls.
  std::vector<NodeToEmpty> Due(const model::ClusterView& view,
                               const model::AcceleratorCatalog& catalog, model::Time time,
                               Clock::time_point now);

  /// Notes that a pod is about to be evicted from a node that is due, when the youngest of those
  /// that are to go was created at `youngest`, by the clock of the API server. What is created
  /// later may replace a pod that was evicted. It is not to go while the entry excludes the node:
  /// whoever placed it there does not ask Berth, and would do so again and again.
  void OnEvicting(const NodeToEmpty& node, model::Time youngest);

 private:
  // A node that is excluded by an entry.
  struct Seen {
    // From when on `after` counts: the condition was bad, and nobody has stood back since. Nothing
    // if that is not so yet.
    std::optional<Clock::time_point> since;
    // See NodeToEmpty::since.
    model::Time time;
    bool still = true;
  };
  using Key = std::pair<std::string, EntryKey>;  // the node's name and UID, the entry
  static Key KeyOf(const std::string& name, const std::string& uid,
                   const policies::scheduling::HealthCondition& entry);
  // A node with its Seen::since.
  using Dated = std::pair<Clock::time_point, NodeToEmpty>;
  struct Look {
    model::Time time;
    Clock::time_point now;
    // Whether the node is only to be remembered.
    bool stands_back = false;
  };

  // Whether nodes are open to pods while the breaker of a condition is tripped.
  bool BreakersOpenNodes() const;
  void NoteWhatWasLookedAt(const model::ClusterView& view);
  // When the node was excluded at the latest, which is first seen at `time`, by a fault that began
  // at `fault`.
  model::Time ExcludedFrom(const model::NodeState& node,
                           const policies::scheduling::HealthCondition& entry, model::Time fault,
                           model::Time time) const;
  // Notes whether the entry excludes the node, and adds the node if it is due.
  void LookAt(const model::NodeState& node, const model::PoolStats& pools, const EvictConfig& rule,
              const policies::scheduling::HealthCondition& entry, const Look& look,
              std::vector<Dated>& due);

  const EvictionRules rules_;
  std::map<Key, Seen> seen_;
  // Whether Due() was called before, and the names of the nodes that could not be read then. What
  // it finds at the first look, or when it can read such a node, began before that.
  bool has_looked_ = false;
  std::set<std::string> unread_;
};

}  // namespace berth::controller
