#include "planner/candidates.h"

#include <algorithm>

#include "policies/fit/fit.h"

namespace berth::planner {

using model::NodeIndex;
using policies::fit::Misfit;

Candidates::Candidates(const policies::scheduling::SchedulingEngine& engine, const model::Pod& pod,
                       const PlannedView& view, model::Time now)
    : view_(view),
      pod_(pod),
      prepared_(engine.Prepare(pod, view, now)),
      worth_(view.EndIndex()),
      bookings_(view.bookings().size()) {
  for (NodeIndex node = 0; node < view.EndIndex(); ++node) Add(node);
}

Candidates::Worth Candidates::Judge(NodeIndex node) const {
  const model::NodeState* const state = view_.At(node);
  if (state == nullptr) return 0;
  if (policies::fit::JudgeNode(pod_, state->node) != Misfit::kNone) return 0;
  if (policies::fit::JudgeRoom(pod_, *state) != Misfit::kNone) return 0;
  const policies::scheduling::Judgement judgement = prepared_.Judge(*state);
  // One more, because the worth of a node that comes last may be 0.
  return judgement.fits ? policies::scheduling::WorthOf(judgement) + 1 : 0;
}

void Candidates::Add(NodeIndex node) {
  worth_[node] = Judge(node);
  if (worth_[node] > 0) queue_.push({worth_[node], node});
}

void Candidates::CatchUp() {
  for (; bookings_ < view_.bookings().size(); ++bookings_) Add(view_.bookings()[bookings_]);
}

std::optional<NodeIndex> Candidates::Best(std::span<const NodeIndex> avoided) {
  CatchUp();
  std::vector<Candidate> passed_over;
  std::optional<NodeIndex> best;
  while (!best && !queue_.empty()) {
    const Candidate candidate = queue_.top();
    const bool current = candidate.worth == worth_[candidate.node];
    if (current && std::ranges::find(avoided, candidate.node) == avoided.end()) {
      best = candidate.node;
      break;
    }
    queue_.pop();
    if (current) passed_over.push_back(candidate);
  }
  for (const Candidate& candidate : passed_over) queue_.push(candidate);
  return best;
}

}  // namespace berth::planner
