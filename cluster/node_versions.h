#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/cluster_view.h"

namespace berth::cluster {

/// When each node last changed, by index. Versions come from one counter, so the nodes that changed
/// since a version are found without looking at the many that did not: 64 nodes share an entry with
/// their greatest version. Not thread-safe.
///
/// A reader that remembers something about every node keeps it up to date like this:
///
///   versions.ForEachSince(seen, [&](model::NodeIndex index) { Recompute(index); });
///   seen = versions.latest();
///
/// That finds new and changed nodes. Whether a node was removed shows in its own version, kNone.
class NodeVersions {
 public:
  /// The version of a place without a node. Real versions are greater.
  static constexpr std::uint64_t kNone = 0;

  /// One more than the greatest index. Places are numbered [0, end()).
  model::NodeIndex end() const { return static_cast<model::NodeIndex>(versions_.size()); }

  /// The version of the node at `index`, or kNone. `index` must be below end().
  std::uint64_t operator[](model::NodeIndex index) const { return versions_[index]; }

  /// The greatest version that was ever set, or kNone. Clear() does not lower it.
  std::uint64_t latest() const { return latest_; }

  /// Adds a place without a node, at index end().
  void Add() {
    versions_.push_back(kNone);
    blocks_.resize((versions_.size() + kBlock - 1) / kBlock);
  }

  /// Sets the version of the node at `index`. `version` must be greater than every one before.
  void Set(model::NodeIndex index, std::uint64_t version) {
    versions_[index] = blocks_[index / kBlock] = latest_ = version;
  }

  /// Records that there is no node at `index` any more.
  void Clear(model::NodeIndex index) { versions_[index] = kNone; }

  /// Calls visit(model::NodeIndex) for each node whose version is greater than `since`, in
  /// ascending order of indices. It does not report removed nodes.
  template <typename Visit>
  void ForEachSince(std::uint64_t since, Visit visit) const {
    for (std::size_t block = 0; block < blocks_.size(); ++block) {
      if (blocks_[block] <= since) continue;
      const std::size_t block_end = std::min((block + 1) * kBlock, versions_.size());
      for (std::size_t i = block * kBlock; i < block_end; ++i) {
        if (versions_[i] > since) visit(static_cast<model::NodeIndex>(i));
      }
    }
  }

 private:
  /// Indices that share one entry of blocks_.
  static constexpr std::size_t kBlock = 64;

  /// By index.
  std::vector<std::uint64_t> versions_;
  std::vector<std::uint64_t> blocks_;  // the greatest version ever set in each block
  std::uint64_t latest_ = kNone;
};

}  // namespace berth::cluster
