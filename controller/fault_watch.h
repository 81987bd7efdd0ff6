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

#include "model/accelerator.h"
#include "model/cluster_view.h"
#include "model/time.h"
#include "policies/scheduling/exclusions.h"
#include "policies/scheduling/health_config.h"

namespace berth::controller {

/// Something that has happened to a node that a condition excludes. A plain value.
struct FaultChange {
  enum class What {
    /// The condition excludes the node.
    kExcluded,
    /// No pod holds a device of the node any more.
    kVacated,
    /// The condition excludes the node no more.
    kReturned,
  };
  What what = What::kExcluded;
  /// As of when the node was excluded, with the earliest time at which the fault may have begun.
  policies::scheduling::Exclusion fault;
  /// From the beginning of the fault to the change; nothing if nobody knows when it began. Never
  /// negative, however the clocks of the node and of Berth differ.
  std::optional<model::Duration> after;
  /// Of kReturned: whether no other condition excludes the node, those of maintenance included.
  bool is_back = false;
  /// Whether the condition was on suspiciously many nodes of the pool when it excluded this one,
  /// and ever since.
  bool is_suspect = false;
};

/// Follows which nodes are excluded, from one look to the next. What it finds at the first look has
/// happened before, so after a restart nothing is measured twice: of that, only what began less
/// than kNews ago is returned, without `after`. Nothing is returned of nodes that are deleted: they
/// did not come back. A node in quarantine stays as it was.
///
/// Entries of health.conditions for the same type count as one. A breaker that weakens a condition
/// does not end the fault. If the condition was on suspiciously many nodes, and the fault goes on
/// for longer than kNews after it no longer is, it is returned once more as kExcluded, without
/// `after`: it is no error of the detector's. Maintenance is no fault: it is neither returned nor
/// measured.
///
/// No I/O, no clock. Not thread-safe.
class FaultWatch {
 public:
  /// For how long a fault is news to somebody who has not watched.
  static constexpr model::Duration kNews = std::chrono::minutes(1);

  explicit FaultWatch(policies::scheduling::HealthConfig health);

  /// Returns what has changed since the last look, and remembers how it is now. The view must keep
  /// the UIDs of nodes.
  std::vector<FaultChange> Look(const model::ClusterView& view,
                                const model::AcceleratorCatalog& catalog, model::Time now);

  /// How many faults there were at the last look.
  std::size_t size() const { return faults_.size(); }

 private:
  // The node's name and UID, the condition.
  using Key = std::tuple<std::string, std::string, std::string>;
  struct Fault {
    policies::scheduling::Exclusion fault;
    // Whether pods held devices of the node, so that it can be vacated.
    bool occupied = false;
    // Whether it began under the eyes of this watch.
    bool seen_to_begin = false;
    // FaultChange::is_suspect, and when it was last so.
    bool is_suspect = false;
    model::Time suspected = model::kNoTime;
  };
  // Pools, and types of conditions that are on suspiciously many of their nodes.
  using Suspects = std::set<std::pair<model::AcceleratorCatalog::Index, std::string>>;

  std::map<Key, Fault> Now(const model::ClusterView& view, const model::AcceleratorCatalog& catalog,
                           model::Time now) const;
  // Adds what begins between faults_ and `present`, or turns out to be true, and keeps what is
  // known of what goes on.
  void Begin(const Suspects& suspects, model::Time now, std::map<Key, Fault>& present,
             std::vector<FaultChange>& changes) const;
  // Adds the nodes among `present` that have been vacated.
  static void Vacate(const model::ClusterView& view, const model::AcceleratorCatalog& catalog,
                     model::Time now, std::map<Key, Fault>& present,
                     std::vector<FaultChange>& changes);
  // Adds what ends. A fault of a node that cannot be read is put into `present`.
  void End(const model::ClusterView& view, model::Time now, std::map<Key, Fault>& present,
           std::vector<FaultChange>& changes) const;

  // Whether maintenance excludes the node, which has no fault any more.
  bool IsInMaintenance(const model::NodeState& node, model::Time now) const;

  const policies::scheduling::HealthConfig health_;
  // The entries of health_ that exclude nodes for maintenance.
  std::vector<policies::scheduling::HealthCondition> maintenance_;
  std::map<Key, Fault> faults_;
  bool has_looked_ = false;
};

}  // namespace berth::controller
