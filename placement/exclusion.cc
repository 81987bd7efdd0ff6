#include "placement/exclusion.h"

#include "model/pod.h"
#include "placement/explanation_hints.h"
#include "policies/scheduling/health.h"

namespace berth::placement {

namespace {

model::Pod PodForOne(const std::string& resource) {
  model::Pod pod;
  pod.requests.Set(resource, 1);
  return pod;
}

}  // namespace

ExclusionJudge::ExclusionJudge(const policies::scheduling::SchedulingEngine& engine,
                               const std::string& resource, const model::ClusterView& view,
                               model::Time now)
    : engine_(&engine), prepared_(engine.Prepare(PodForOne(resource), view, now)) {}

std::optional<Exclusion> ExclusionJudge::Judge(const model::NodeState& node) const {
  const policies::scheduling::DatedJudgement judgement = prepared_.Judge(node);
  if (!judgement.fits) {
    const policies::scheduling::Reason& reason = engine_->reasons()[judgement.reason];
    const bool unreadable = judgement.reason == engine_->unreadable_node();
    if (unreadable || reason.policy == policies::scheduling::HealthPolicy::kName) {
      return Exclusion{.id = judgement.reason,
                       .reason = reason.text,
                       .summary = reason.summary,
                       .since = judgement.since};
    }
  }
  // Also where another policy refuses the node, such as one that keeps room for a gang.
  if (!IsUnderRepair(node.node)) return std::nullopt;
  return Exclusion{.reason = kUnderRepair, .summary = kUnderRepair};
}

}  // namespace berth::placement
