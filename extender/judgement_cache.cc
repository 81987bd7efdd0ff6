#include "extender/judgement_cache.h"

#include <algorithm>
#include <utility>

namespace berth::extender {

using scheduling::Judgement;
using scheduling::PreparedPod;

JudgementCache::Lookup::Lookup(std::shared_ptr<Shape> shape, model::Time now,
                               model::NodeIndex nodes)
    : shape_(std::move(shape)), lock_(shape_->mutex), now_(now) {
  // A clock that was set back: what was judged later than now need not hold now.
  if (now < shape_->last_now) shape_->slots.clear();
  shape_->last_now = now;
  if (shape_->slots.size() < nodes) shape_->slots.resize(nodes);
}

Judgement JudgementCache::Lookup::Judge(const PreparedPod& prepared, model::NodeIndex index,
                                        const model::NodeState& node) {
  if (const Judgement* remembered = Recall(index, node.version)) return *remembered;
  const scheduling::DatedJudgement judgement = prepared.Judge(node);
  shape_->slots[index] = {node.version, judgement.valid_until, judgement};
  return judgement;
}

JudgementCache::Lookup JudgementCache::Open(const std::string& key, model::Time now,
                                            model::NodeIndex nodes) {
  return Lookup(Find(key, nodes), now, nodes);
}

std::shared_ptr<JudgementCache::Shape> JudgementCache::Find(const std::string& name,
                                                            model::NodeIndex nodes) {
  const std::lock_guard lock(mutex_);
  // Linear: a few dozen shapes, and most pods are of the shape that was used last.
  const auto found = std::find_if(shapes_.begin(), shapes_.end(),
                                  [&](const auto& shape) { return shape->name == name; });
  if (found != shapes_.end()) {
    shapes_.splice(shapes_.begin(), shapes_, found);
    return shapes_.front();
  }
  shapes_.push_front(std::make_shared<Shape>(name));
  const std::size_t shapes = capacity_ / std::max<std::size_t>(nodes, 1);
  // Linear search is for dozens, not for the thousands that a small cluster has memory for.
  shapes_.resize(std::min(shapes_.size(), std::clamp(shapes, kLeastShapes, kMostShapes)));
  return shapes_.front();
}

}  // namespace berth::extender
