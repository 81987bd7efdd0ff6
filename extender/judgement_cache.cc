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
  return Lookup(Find(key), now, nodes);
}

std::shared_ptr<JudgementCache::Shape> JudgementCache::Find(const std::string& name) {
  const std::lock_guard lock(mutex_);
  // Linear: a few dozen shapes, and most pods are of the shape that was used last.
  const auto found = std::find_if(shapes_.begin(), shapes_.end(),
                                  [&](const auto& shape) { return shape->name == name; });
  if (found != shapes_.end()) {
    shapes_.splice(shapes_.begin(), shapes_, found);
    return shapes_.front();
  }
  shapes_.push_front(std::make_shared<Shape>(name));
  if (shapes_.size() > capacity_) shapes_.pop_back();
  return shapes_.front();
}

}  // namespace berth::extender
