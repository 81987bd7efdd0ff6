#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "model/cluster_view.h"
#include "model/time.h"
#include "policies/scheduling/engine.h"

namespace berth::extender {

/// Remembers judgements by the key of the prepared pod and the node, until the node changes or time
/// may change them. Pods come in series of the same shape, and what is
/// remembered of a node takes 32 bytes in one table, while judging it reads some 20 cache lines.
///
/// For one engine and one cluster: nodes are told apart by index and version. Thread-safe.
class JudgementCache {
 public:
  /// Judgements remembered at once, of 32 bytes: 4 MiB, or 17 shapes at 7,500 nodes. The shape
  /// unused for longest is forgotten.
  static constexpr std::size_t kDefaultJudgements = std::size_t{1} << 17;
  /// However many nodes there are: those of the pods that are retried at the same time.
  static constexpr std::size_t kLeastShapes = 4;
  static constexpr std::size_t kMostShapes = 32;

  explicit JudgementCache(std::size_t judgements = kDefaultJudgements) : capacity_(judgements) {}
  JudgementCache(const JudgementCache&) = delete;
  JudgementCache& operator=(const JudgementCache&) = delete;

 private:
  struct Slot {
    std::uint64_t version = 0;
    // Nothing is remembered until there is a later one.
    model::Time valid_until = model::Time::min();
    scheduling::Judgement judgement;
  };

  struct Shape {
    explicit Shape(std::string name_in) : name(std::move(name_in)) {}
    const std::string name;
    std::mutex mutex;
    std::vector<Slot> slots;  // by node index
    model::Time last_now = model::kNoTime;
  };

 public:
  /// The judgements of one shape, held by one request at a time.
  class Lookup {
   public:
    /// What is remembered of the node at `index` in that version, or null. Until the next call.
    const scheduling::Judgement* Recall(model::NodeIndex index, std::uint64_t version) const {
      const Slot& slot = shape_->slots[index];
      return slot.version == version && now_ < slot.valid_until ? &slot.judgement : nullptr;
    }

    /// What `prepared`, which has the lookup's key and was made as of its time, says of `node` at
    /// `index`: remembered, or judged now.
    scheduling::Judgement Judge(const scheduling::PreparedPod& prepared, model::NodeIndex index,
                                const model::NodeState& node);

   private:
    friend class JudgementCache;
    Lookup(std::shared_ptr<Shape> shape, model::Time now, model::NodeIndex nodes);

    std::shared_ptr<Shape> shape_;
    std::unique_lock<std::mutex> lock_;
    model::Time now_;
  };

  /// Waits for other lookups of the same key, which is a PreparedPod's. `nodes`: the view's
  /// EndIndex().
  Lookup Open(const std::string& key, model::Time now, model::NodeIndex nodes);

 private:
  std::shared_ptr<Shape> Find(const std::string& name, model::NodeIndex nodes);

  const std::size_t capacity_;
  std::mutex mutex_;
  std::list<std::shared_ptr<Shape>> shapes_;  // used last first
};

}  // namespace berth::extender
