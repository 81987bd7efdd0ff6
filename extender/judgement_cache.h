#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cluster/node_versions.h"
#include "extender/packed_judgement.h"
#include "model/cluster_view.h"
#include "model/time.h"
#include "policies/scheduling/engine.h"

namespace berth::extender {

/// Remembers judgements by the key of the prepared pod and the node, until the node changes or time
/// may change the judgement. Pods come in series of the same shape. A remembered judgement takes 8
/// bytes in one table, while a new one reads six cache lines.
///
/// Made for one engine and one cluster, because nodes are told apart by index and version. Placer
/// owns it. Thread-safe.
///
///   JudgementCache::Lookup lookup = cache.Open(prepared.key(), now, reader.Versions());
///   auto judgement = lookup.Recall(index);
///   if (!judgement) judgement = lookup.Judge(prepared, index, *reader.At(index));
class JudgementCache {
 public:
  /// Default for how many shapes are remembered at once; the one unused for longest is forgotten.
  /// With 8 bytes for each node, that is 4 MiB at 7,500 nodes and 32 MiB at 65,000. Few clusters
  /// see as many shapes in a day, and a linear search finds one of them.
  static constexpr std::size_t kShapes = 64;
  /// Longest key in bytes that is worth remembering; callers judge pods with a longer one without
  /// the cache. Users write what a key is made of. One with a dozen tolerations takes some 500
  /// bytes.
  static constexpr std::size_t kMaxKey = 64 * 1024;

  /// Remembers `shapes` > 0 shapes.
  explicit JudgementCache(std::size_t shapes = kShapes) : shapes_(shapes) {}
  JudgementCache(const JudgementCache&) = delete;
  JudgementCache& operator=(const JudgementCache&) = delete;

 private:
  // The judgements of all nodes for pods of one shape.
  struct Shape {
    // The key of the prepared pods.
    std::string name;
    // Guards the following. A Lookup holds it.
    std::mutex mutex;
    std::vector<PackedJudgement> judgements;  // by node index
    std::uint64_t version = 0;           // the latest version of a node that was taken into account
    model::Time begin = model::kNoTime;  // the moment from which judgements count their time
    model::Time last_now = model::kNoTime;  // of the last lookup
  };

  // A shape, and the hash of its name for a quick search.
  struct Known {
    std::size_t hash;
    std::shared_ptr<Shape> shape;
  };

 public:
  /// The judgements of one shape, for one request. It holds the shape's mutex, so other requests
  /// about pods of this shape wait until it is destroyed. The nodes must not change meanwhile: hold
  /// a reader of the snapshot. Use it on the thread that opened it.
  class Lookup {
   public:
    /// Returns what is remembered of the node at `index`, if it still holds; else nothing.
    std::optional<policies::scheduling::Judgement> Recall(model::NodeIndex index) const {
      const PackedJudgement& judgement = shape_->judgements[index];
      if (!judgement.HoldsAt(elapsed_)) return std::nullopt;
      return judgement.Unpack();
    }

    /// Judges `node`, which is at `index`, and remembers the result. `prepared` must have the key
    /// of the lookup, and must have been prepared for the time of the lookup.
    policies::scheduling::Judgement Judge(const policies::scheduling::PreparedPod& prepared,
                                          model::NodeIndex index, const model::NodeState& node);

    /// Forgets what is remembered of the node at `index`.
    void Forget(model::NodeIndex index) { shape_->judgements[index] = PackedJudgement(); }

   private:
    friend class JudgementCache;
    Lookup(std::shared_ptr<Shape> shape, model::Time now, const cluster::NodeVersions& versions);

    // Kept alive, even if the cache forgets the shape meanwhile.
    std::shared_ptr<Shape> shape_;
    // Holds the shape's mutex.
    std::unique_lock<std::mutex> lock_;
    model::Duration elapsed_{};  // from the shape's `begin` to the time of the lookup
  };

  /// Returns a lookup for pods with this `key` (PreparedPod::key()), at `now`. Drops the judgements
  /// of nodes that have changed since, according to `versions`, and all of them if the clock was
  /// set back or 18 hours have passed. Blocks while another lookup of the same key lives.
  Lookup Open(const std::string& key, model::Time now, const cluster::NodeVersions& versions);

 private:
  // Returns the shape of that name, a new one if it is unknown, and makes it the last used one.
  std::shared_ptr<Shape> Find(const std::string& name);

  const std::size_t shapes_;
  // Guards known_.
  std::mutex mutex_;
  std::vector<Known> known_;  // the last used one first
};

}  // namespace berth::extender
