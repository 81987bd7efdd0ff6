#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/cluster_view.h"

namespace berth::cluster {

/// The statistics of pools, kept up as nodes come, change and go. Of several conditions of one type
/// on a node the first counts. Not thread-safe.
class PoolCounts final : public model::PoolStats {
 public:
  using Index = model::AcceleratorCatalog::Index;

  std::size_t Nodes(Index accelerator) const override;
  model::ConditionShare NodesWith(Index accelerator, std::string_view type,
                                  model::Time stale_before) const override;

  /// Takes part of a node that was added as given: its pool and its conditions.
  void Add(Index accelerator, const std::vector<model::Condition>& conditions) {
    Count(accelerator, conditions, +1);
  }
  void Remove(Index accelerator, const std::vector<model::Condition>& conditions) {
    Count(accelerator, conditions, -1);
  }

 private:
  // The conditions of one type in one pool. Counts are unsigned and wrap where a step is -1, which
  // is what subtracting does.
  struct Tally {
    std::size_t nodes = 0;
    std::size_t is_true = 0;
    std::size_t unknown = 0;
    // Those that are False, which will be Unknown once they are stale, by last heartbeat. A few
    // hundred entries: detectors beat every few minutes.
    std::map<model::Time, std::size_t> false_beats;
  };

  struct Pool {
    std::size_t nodes = 0;
    std::map<std::string, Tally, std::less<>> by_type;
  };

  void Count(Index accelerator, const std::vector<model::Condition>& conditions, int step);
  static void Count(Tally& tally, const model::Condition& condition, int step);

  std::vector<Pool> pools_;  // by catalogue index, as far as nodes have come
};

}  // namespace berth::cluster
