#include "planner/candidates.h"

#include <algorithm>
#include <utility>

#include "policies/fit/fit.h"

namespace berth::planner {

using model::NodeIndex;
using policies::fit::Misfit;

Candidates::Candidates(const policies::scheduling::SchedulingEngine& engine, const model::Pod& pod,
                       const PlannedView& view, model::Time now)
    : view_(view), pod_(pod), prepared_(engine.Prepare(pod, view, now)), now_(now) {}

std::string Candidates::Key() const { return prepared_.key() + '|' + policies::fit::ShapeOf(pod_); }

Worths::Dated Candidates::Judge(const model::NodeState& node) const {
  if (policies::fit::JudgeNode(pod_, node.node) != Misfit::kNone) return {};
  if (policies::fit::JudgeRoom(pod_, node) != Misfit::kNone) return {};
  const policies::scheduling::DatedJudgement judgement = prepared_.Judge(node);
  // One more, because the worth of a node that comes last may be 0.
  return {judgement.fits ? policies::scheduling::WorthOf(judgement) + 1 : 0, judgement.valid_until};
}

Candidates::Worth Candidates::Judge(NodeIndex node) {
  const model::NodeState* const state = view_.At(node);
  if (state == nullptr) return 0;
  if (memory_ == nullptr || view_.HasBookings(node)) return Judge(*state).worth;
  return memory_->Of(node, state->version, [&] { return Judge(*state); });
}

bool Candidates::FitsIdle(NodeIndex node) {
  const model::NodeState* const state = view_.At(node);
  if (state == nullptr) return false;
  const auto judge = [&]() -> Worths::Dated {
    if (policies::fit::JudgeNode(pod_, state->node) != Misfit::kNone) return {};
    const policies::scheduling::DatedJudgement judgement = prepared_.Judge(*state);
    return {judgement.fits ? Worth{1} : 0, judgement.valid_until};
  };
  if (idle_ == nullptr || view_.HasBookings(node)) return judge().worth > 0;
  if (!std::exchange(idle_opened_, true)) idle_->Open(now_, view_.EndIndex());
  return idle_->Of(node, state->version, judge) > 0;
}

void Candidates::JudgeAll() {
  if (!worth_.empty()) return;
  std::vector<Candidate> candidates;
  for (NodeIndex node = 0; node < view_.EndIndex(); ++node) {
    worth_.push_back(Judge(node));
    if (worth_.back() > 0) candidates.push_back({worth_.back(), node});
  }
  queue_ = std::priority_queue<Candidate>({}, std::move(candidates));
  bookings_ = view_.bookings().size();
}

void Candidates::CatchUp() {
  for (; bookings_ < view_.bookings().size(); ++bookings_) {
    const NodeIndex node = view_.bookings()[bookings_];
    const Worth worth = Judge(node);
    if (worth != std::exchange(worth_[node], worth) && worth > 0) queue_.push({worth, node});
  }
}

std::optional<NodeIndex> Candidates::Best(std::span<const NodeIndex> avoided) {
  JudgeAll();
  CatchUp();
  std::vector<Candidate> passed_over;
  std::optional<NodeIndex> best;
  while (!best && !queue_.empty()) {
    const Candidate candidate = queue_.top();
    const bool current = candidate.worth == worth_[candidate.node];
    const bool is_avoided = std::ranges::find(avoided, candidate.node) != avoided.end();
    if (current && !is_avoided) best = candidate.node;
    if (current && is_avoided) passed_over.push_back(candidate);
    if (!best) queue_.pop();
  }
  for (const Candidate& candidate : passed_over) queue_.push(candidate);
  return best;
}

}  // namespace berth::planner
