#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/cluster_view.h"

namespace berth::cluster {

/// When each node changed last, by index, in versions that one counter gives. Which nodes changed
/// since a version is told without a look at the many that did not. Not thread-safe.
class NodeVersions {
 public:
  /// Of a place where no node is.
  static constexpr std::uint64_t kNone = 0;

  /// Places are numbered [0, end()).
  model::NodeIndex end() const { return static_cast<model::NodeIndex>(versions_.size()); }

  std::uint64_t operator[](model::NodeIndex index) const { return versions_[index]; }

  /// The greatest version that was ever set.
  std::uint64_t latest() const { return latest_; }

  /// Adds a place without a node.
  void Add() {
    versions_.push_back(kNone);
    blocks_.resize((versions_.size() + kBlock - 1) / kBlock);
  }

  /// `version` is greater than every one before.
  void Set(model::NodeIndex index, std::uint64_t version) {
    versions_[index] = blocks_[index / kBlock] = latest_ = version;
  }

  /// There is no node any more.
  void Clear(model::NodeIndex index) { versions_[index] = kNone; }

  /// Calls `visit` with the index of each node whose version is greater than `since`, ascending.
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
  static constexpr std::size_t kBlock = 64;

  std::vector<std::uint64_t> versions_;
  std::vector<std::uint64_t> blocks_;  // the greatest that was set in each kBlock of them
  std::uint64_t latest_ = kNone;
};

}  // namespace berth::cluster
