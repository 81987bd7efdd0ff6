#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/cluster_view.h"
#include "model/past_status.h"
#include "model/time.h"

namespace berth::cluster {

/// The statistics of pools, updated as nodes are added, changed and removed. A changed node is
/// removed with its former conditions and added with its present ones. Of several conditions of one
/// type on a node, only the first counts. Owned by NodeTable. Not thread-safe.
///
/// Memory depends on the pools and the types of conditions, not on the nodes, except for the
/// heartbeats of conditions, and for how long those that are Unknown had a status before.
class PoolCounts final : public model::PoolStats {
 public:
  using Index = model::AcceleratorCatalog::Index;

  /// The number of nodes with that catalogue entry; 0 for kNone.
  std::size_t Nodes(Index accelerator) const override;
  /// See model::PoolStats. Takes time in proportion to the distinct heartbeats before
  /// `stale_before`, and to the distinct lengths below `long_bad`.
  model::ConditionShare NodesWith(Index accelerator, std::string_view type,
                                  model::ConditionStatus bad, model::Time stale_before,
                                  model::Duration long_bad) const override;

  bool IsAvoided(std::string_view owner) const override { return avoided_.contains(owner); }

  /// Counts the owners that the annotations of a node name.
  void AddAvoided(const model::StringMap& annotations) { CountAvoided(annotations, +1); }
  /// Undoes an AddAvoided() with equal annotations.
  void RemoveAvoided(const model::StringMap& annotations) { CountAvoided(annotations, -1); }

  /// Counts a node with that catalogue entry and these conditions, of which `past` tells what they
  /// were. Nodes with kNone are not counted.
  void Add(Index accelerator, const std::vector<model::Condition>& conditions,
           const std::vector<model::PastStatus>& past) {
    Count(accelerator, conditions, past, +1);
  }
  /// Undoes an Add() with equal arguments.
  void Remove(Index accelerator, const std::vector<model::Condition>& conditions,
              const std::vector<model::PastStatus>& past) {
    Count(accelerator, conditions, past, -1);
  }

 private:
  // The nodes whose condition has one status.
  struct Beats {
    std::size_t nodes = 0;
    // Their number by last heartbeat, of those that state one. Where the status is well, they count
    // as Unknown once they are stale. The map has a few hundred entries, because detectors report
    // every few minutes.
    std::map<model::Time, std::size_t> by_time;
  };

  // The nodes whose condition is Unknown and, as far as Berth has seen, had one status before.
  struct Before {
    std::size_t nodes = 0;
    // Their number by how long it had that status.
    std::map<model::Duration, std::size_t> by_length;
  };

  // The conditions of one type in one pool. Counts are unsigned: adding a step of -1 wraps around,
  // which subtracts 1.
  struct Tally {
    // Nodes that have a condition of this type.
    std::size_t nodes = 0;
    // Nodes where its status is Unknown.
    std::size_t unknown = 0;
    // Which of the other two statuses is bad, the caller tells.
    Beats is_true;
    Beats is_false;
    // Of those where it is Unknown. A node may be in both; see RememberStatus().
    Before was_true;
    Before was_false;
  };

  // The nodes of one catalogue entry.
  struct Pool {
    std::size_t nodes = 0;
    // By type of condition; only types that some node of the pool has.
    std::map<std::string, Tally, std::less<>> by_type;
  };

  // Adds `step`, +1 or -1, to the counts of the owners.
  void CountAvoided(const model::StringMap& annotations, int step);
  // Adds `step`, +1 or -1, to the counts of one node.
  void Count(Index accelerator, const std::vector<model::Condition>& conditions,
             const std::vector<model::PastStatus>& past, int step);
  // Adds `step` to the counts of one condition.
  static void Count(Tally& tally, const model::Condition& condition,
                    const std::vector<model::PastStatus>& past, int step);
  static void Count(Beats& beats, model::Time heartbeat, std::size_t amount);
  // Adds `amount` to what a condition of that type, which is Unknown, was before.
  static void CountBefore(Tally& tally, std::string_view type,
                          const std::vector<model::PastStatus>& past, std::size_t amount);

  std::vector<Pool> pools_;  // by catalogue index, up to the greatest one seen
  // By UID of the owner, how many entries name it.
  std::map<std::string, std::size_t, std::less<>> avoided_;
};

}  // namespace berth::cluster
