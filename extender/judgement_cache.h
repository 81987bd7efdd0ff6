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
/// may change them. Pods come in series of the same shape, and what is remembered of a node takes 8
/// bytes in one table, while judging it reads six cache lines.
///
/// For one engine and one cluster: nodes are told apart by index and version. Thread-safe.
class JudgementCache {
 public:
  /// Shapes remembered at once; the one unused for longest is forgotten. Of 8 bytes for each node:
  /// 4 MiB at 7,500 nodes, 32 MiB at 65,000. Few clusters see as many shapes in a day, and a linear
  /// search finds one of them.
  static constexpr std::size_t kShapes = 64;
  /// Bytes of a key that is worth remembering. Users write what it is made of; one of a dozen
  /// tolerations takes some 500.
  static constexpr std::size_t kMaxKey = 64 * 1024;

  /// `shapes` > 0.
  explicit JudgementCache(std::size_t shapes = kShapes) : shapes_(shapes) {}
  JudgementCache(const JudgementCache&) = delete;
  JudgementCache& operator=(const JudgementCache&) = delete;

 private:
  struct Shape {
    std::string name;
    std::mutex mutex;
    std::vector<PackedJudgement> judgements;  // by node index
    std::uint64_t version = 0;                // of the nodes that were judged
    model::Time begin = model::kNoTime;       // from which judgements count their time
    model::Time last_now = model::kNoTime;
  };

  struct Known {
    std::size_t hash;
    std::shared_ptr<Shape> shape;
  };

 public:
  /// The judgements of one shape, held by one request at a time, of nodes that are held still.
  class Lookup {
   public:
    /// What is remembered of the node at `index`, or nothing.
    std::optional<policies::scheduling::Judgement> Recall(model::NodeIndex index) const {
      const PackedJudgement& judgement = shape_->judgements[index];
      if (!judgement.HoldsAt(elapsed_)) return std::nullopt;
      return judgement.Unpack();
    }

    /// What `prepared`, which has the lookup's key and was made as of its time, says of `node` at
    /// `index`. Remembers it.
    policies::scheduling::Judgement Judge(const policies::scheduling::PreparedPod& prepared,
                                          model::NodeIndex index, const model::NodeState& node);

    /// Nothing is remembered of the node at `index`.
    void Forget(model::NodeIndex index) { shape_->judgements[index] = PackedJudgement(); }

   private:
    friend class JudgementCache;
    Lookup(std::shared_ptr<Shape> shape, model::Time now, const cluster::NodeVersions& versions);

    std::shared_ptr<Shape> shape_;
    std::unique_lock<std::mutex> lock_;
    model::Duration elapsed_;
  };

  /// Waits for other lookups of the same key, which is a PreparedPod's. `versions` are the view's.
  Lookup Open(const std::string& key, model::Time now, const cluster::NodeVersions& versions);

 private:
  std::shared_ptr<Shape> Find(const std::string& name);

  const std::size_t shapes_;
  std::mutex mutex_;
  std::vector<Known> known_;  // used last first
};

}  // namespace berth::extender
