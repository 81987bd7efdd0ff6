#include "extender/judgement_cache.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace berth::extender {

using policies::scheduling::Judgement;
using policies::scheduling::PreparedPod;

JudgementCache::Lookup::Lookup(std::shared_ptr<Shape> shape, model::Time now,
                               const cluster::NodeVersions& versions)
    : shape_(std::move(shape)), lock_(shape_->mutex) {
  std::vector<PackedJudgement>& judgements = shape_->judgements;
  // If the clock was set back, what was judged at a later time need not hold now.
  if (now < shape_->last_now || now - shape_->begin >= PackedJudgement::kLongest) {
    judgements.clear();
    shape_->begin = now;
  }
  shape_->last_now = now;
  elapsed_ = now - shape_->begin;
  judgements.resize(std::max<std::size_t>(judgements.size(), versions.end()));
  versions.ForEachSince(shape_->version,
                        [&](model::NodeIndex index) { judgements[index] = PackedJudgement(); });
  shape_->version = versions.latest();
}

Judgement JudgementCache::Lookup::Judge(const PreparedPod& prepared, model::NodeIndex index,
                                        const model::NodeState& node) {
  const policies::scheduling::DatedJudgement judgement = prepared.Judge(node);
  shape_->judgements[index] = PackedJudgement(judgement, shape_->begin);
  return judgement;
}

JudgementCache::Lookup JudgementCache::Open(const std::string& key, model::Time now,
                                            const cluster::NodeVersions& versions) {
  return Lookup(Find(key), now, versions);
}

std::shared_ptr<JudgementCache::Shape> JudgementCache::Find(const std::string& name) {
  const std::size_t hash = std::hash<std::string>()(name);
  const std::lock_guard lock(mutex_);
  // Most pods have the shape that was used last.
  auto found = std::find_if(known_.begin(), known_.end(), [&](const Known& known) {
    return known.hash == hash && known.shape->name == name;
  });
  if (found == known_.end()) {
    if (known_.size() == shapes_) known_.pop_back();
    found = known_.insert(known_.end(), {hash, std::make_shared<Shape>()});
    found->shape->name = name;
  }
  std::rotate(known_.begin(), found, found + 1);
  return known_.front().shape;
}

}  // namespace berth::extender
