#pragma once

#include <cstdint>
#include <vector>

#include "model/cluster_view.h"
#include "model/time.h"
#include "policies/scheduling/rank.h"

namespace berth::planner {

/// Remembers what nodes are worth for pods of one shape, from one plan to the next: most nodes do
/// not change meanwhile. Only for nodes as a view shows them, without what a plan books. Not
/// thread-safe.
class Worths {
 public:
  /// The worth of a node, and the first moment at which time alone may change it.
  struct Dated {
    policies::scheduling::Worth worth = 0;
    model::Time valid_until = model::kForever;
  };

  /// Call it before each plan. Forgets everything if the clock was set back.
  void Open(model::Time now, model::NodeIndex nodes) {
    if (now < now_) entries_.clear();
    now_ = now;
    entries_.resize(nodes);
  }

  /// Returns what the node is worth: what is remembered if the node has not changed since, or else
  /// the result of `judge()`, a Dated. A node of version 0 has no history and is judged each time.
  template <typename Judge>
  policies::scheduling::Worth Of(model::NodeIndex node, std::uint64_t version, Judge judge) {
    Entry& entry = entries_[node];
    const bool known = version != 0 && entry.version == version && now_ < entry.dated.valid_until;
    if (!known) entry = {version, judge()};
    return entry.dated.worth;
  }

 private:
  struct Entry {
    std::uint64_t version = 0;
    Dated dated;
  };

  model::Time now_ = model::kNoTime;
  std::vector<Entry> entries_;  // by node
};

}  // namespace berth::planner
