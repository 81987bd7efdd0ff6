#include "controller/fitting_nodes.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>

#include "model/accelerator_requests.h"

namespace berth::controller {

namespace {

using policies::scheduling::ReasonId;

// Returns a pod of the same shape that has nothing else of the pod. It comes after all others and
// belongs to no gang: a node that is kept for a gang then counts as refused, as far as any pod of
// the shape reports it.
model::Pod SampleOf(const model::Pod& pod, const policies::scheduling::SchedulingEngine& engine) {
  model::Pod sample;
  sample.requests = model::CountedRequests(pod.requests, engine.catalog());
  std::ranges::copy_if(
      pod.annotations, std::back_inserter(sample.annotations),
      [&engine](const auto& annotation) { return engine.IsInShape(annotation.first); });
  sample.tolerations = pod.tolerations;
  sample.priority = std::numeric_limits<std::int32_t>::min();
  return sample;
}

}  // namespace

FittingNodes::FittingNodes(std::shared_ptr<const policies::scheduling::SchedulingEngine> engine,
                           const model::Pod& pod)
    : engine_(std::move(engine)),
      sample_(SampleOf(pod, *engine_)),
      requests_(model::AcceleratorRequests(pod, engine_->catalog())) {}

void FittingNodes::Judge(const model::ClusterView& view, model::Time time, Clock::time_point now) {
  if (!judged_ || generation_ != view.Generation() || time_ != time) JudgeNodes(view, time, now);
  Forget(now);
}

void FittingNodes::JudgeNodes(const model::ClusterView& view, model::Time time,
                              Clock::time_point now) {
  const policies::scheduling::PreparedPod pod = engine_->Prepare(sample_, view, time);
  const bool all_anew = view_key_ != pod.key();
  // A new index begins as refused, because a node that is not in the view is refused as unknown.
  verdicts_.resize(view.EndIndex(), {.reason = engine_->unknown_node()});
  refused_.clear();
  for (model::NodeIndex i = 0; i < view.EndIndex(); ++i) {
    const Verdict& known = verdicts_[i];
    const model::NodeState* const state = view.At(i);
    if (state == nullptr) {
      Replace(i, {.reason = engine_->unknown_node()}, now);
      continue;
    }
    if (all_anew || known.version != state->version || time >= known.valid_until) {
      const policies::scheduling::DatedJudgement judgement = pod.Judge(*state);
      Replace(i, {state->version, judgement.valid_until, judgement.reason}, now);
    }
    if (known.reason != policies::scheduling::kNoReason) ++refused_[known.reason];
  }
  generation_ = view.Generation();
  time_ = time;
  view_key_ = pod.key();
  judged_ = true;
}

void FittingNodes::Replace(model::NodeIndex node, const Verdict& verdict, Clock::time_point now) {
  const ReasonId former = std::exchange(verdicts_[node], verdict).reason;
  if (judged_ && former != policies::scheduling::kNoReason && Fits(node)) {
    recoveries_[former].push_back({node, now});
  }
}

void FittingNodes::Forget(Clock::time_point now) {
  for (auto entry = recoveries_.begin(); entry != recoveries_.end();) {
    std::erase_if(entry->second, [&](const Recovery& recovery) {
      return !Fits(recovery.node) || recovery.at + kRemembered <= now;
    });
    entry = entry->second.empty() ? recoveries_.erase(entry) : std::next(entry);
  }
}

bool FittingNodes::Fits(model::NodeIndex node) const {
  return verdicts_[node].reason == policies::scheduling::kNoReason;
}

std::size_t FittingNodes::Refused(ReasonId reason) const {
  const auto found = refused_.find(reason);
  return found == refused_.end() ? 0 : found->second;
}

std::span<const Recovery> FittingNodes::Recoveries(ReasonId former) const {
  const auto found = recoveries_.find(former);
  if (found == recoveries_.end()) return {};
  return found->second;
}

}  // namespace berth::controller
