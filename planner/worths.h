#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
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

/// The Worths of several shapes. Not thread-safe.
class WorthMemory {
 public:
  /// Of more than `most` shapes, all are forgotten.
  explicit WorthMemory(std::size_t most) : most_(most) {}

  /// `key`: of Candidates::Key().
  std::shared_ptr<Worths> Of(const std::string& key) {
    if (worths_.size() >= most_ && !worths_.contains(key)) worths_.clear();
    std::shared_ptr<Worths>& worths = worths_[key];
    if (worths == nullptr) worths = std::make_shared<Worths>();
    return worths;
  }

 private:
  const std::size_t most_;
  absl::flat_hash_map<std::string, std::shared_ptr<Worths>> worths_;
};

}  // namespace berth::planner
