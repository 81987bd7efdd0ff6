#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "absl/container/flat_hash_set.h"

namespace berth::cluster {

/// The last UIDs that were added, as hashes of 8 bytes. Not thread-safe.
class RecentUids {
 public:
  /// How many UIDs are remembered, at some 20 bytes each.
  static constexpr std::size_t kMost = 4096;

  /// Adds a UID, and forgets the oldest if there are too many. No effect if it is remembered.
  void Add(std::uint64_t hash) {
    if (!hashes_.insert(hash).second) return;
    order_.push_back(hash);
    if (order_.size() <= kMost) return;
    hashes_.erase(order_.front());
    order_.pop_front();
  }

  bool Has(std::uint64_t hash) const { return hashes_.contains(hash); }

 private:
  std::deque<std::uint64_t> order_;  // the most recent at the end
  absl::flat_hash_set<std::uint64_t> hashes_;
};

}  // namespace berth::cluster
