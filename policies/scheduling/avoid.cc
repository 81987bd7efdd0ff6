#include "policies/scheduling/avoid.h"

#include <memory>
#include <utility>

#include "model/annotation.h"
#include "model/avoid.h"

namespace berth::policies::scheduling {

namespace {

class AvoidEvaluator : public NodeEvaluator {
 public:
  AvoidEvaluator(std::string annotation, std::string owner, ReasonId failed, model::Time now)
      : annotation_(std::move(annotation)), owner_(std::move(owner)), failed_(failed), now_(now) {}

  std::string ViewKey() const override { return owner_; }

  Verdict Evaluate(const model::NodeState& node) const noexcept override {
    const auto text = model::Find(node.node.annotations, annotation_);
    if (!text) return {};
    const auto until = model::AvoidedUntil(*text, owner_);
    if (!until || *until <= now_) return {};
    return {.score = 0, .last = true, .reason = failed_, .valid_until = *until};
  }

 private:
  const std::string annotation_;
  const std::string owner_;
  const ReasonId failed_;
  const model::Time now_;
};

}  // namespace

AvoidPolicy::AvoidPolicy(const PolicyContext& context, const NoConfig&)
    : annotation_(model::kAvoidAnnotation.Below(context.prefix)),
      failed_(context.reasons.Intern({.policy = std::string(kName),
                                      .text = "node(s) had a failure of the same Job",
                                      .summary = "failed this Job"})) {}

Preparation AvoidPolicy::Prepare(const model::Pod& pod, const model::ClusterView& view,
                                 model::Time now) const {
  if (pod.controller_uid.empty() || !view.Pools().IsAvoided(pod.controller_uid)) {
    return NoOpinion{};
  }
  return std::make_unique<AvoidEvaluator>(annotation_, pod.controller_uid, failed_, now);
}

}  // namespace berth::policies::scheduling
