#include "controller/fitting_nodes.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "model/accelerator_requests.h"
#include "model/kept_room.h"
#include "policies/scheduling/kept.h"

namespace berth::controller {

namespace {

using policies::scheduling::kNoReason;
using policies::scheduling::PreparedPod;
using policies::scheduling::ReasonId;

// Priorities of pods that come before all others, and after them.
constexpr std::int32_t kComesFirst = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t kComesLast = std::numeric_limits<std::int32_t>::min();

// Returns a pod of the same shape that has nothing else of the pod. It belongs to no gang.
model::Pod SampleOf(const model::Pod& pod, const policies::scheduling::SchedulingEngine& engine) {
  model::Pod sample;
  sample.requests = model::CountedRequests(pod.requests, engine.catalog());
  std::ranges::copy_if(
      pod.annotations, std::back_inserter(sample.annotations),
      [&engine](const auto& annotation) { return engine.IsInShape(annotation.first); });
  sample.tolerations = pod.tolerations;
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

PreparedPod FittingNodes::Prepare(std::int32_t priority, const model::ClusterView& view,
                                  model::Time time) {
  sample_.priority = priority;
  return engine_->Prepare(sample_, view, time);
}

void FittingNodes::JudgeNodes(const model::ClusterView& view, model::Time time,
                              Clock::time_point now) {
  const PreparedPod last = Prepare(kComesLast, view, time);
  std::optional<PreparedPod> first;
  if (view.LastKept(PlaceOf(sample_))) first = Prepare(kComesFirst, view, time);
  const bool all_anew = view_key_ != last.key();
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
      Replace(i, JudgeNode(*state, first ? *first : last, last), now);
    }
    if (known.reason != kNoReason) ++refused_[known.reason];
  }
  generation_ = view.Generation();
  time_ = time;
  view_key_ = last.key();
  judged_ = true;
}

FittingNodes::Verdict FittingNodes::JudgeNode(const model::NodeState& node,
                                              const PreparedPod& first,
                                              const PreparedPod& last) const {
  const policies::scheduling::DatedJudgement judgement = last.Judge(node);
  Verdict verdict{
      .version = node.version, .valid_until = judgement.valid_until, .reason = judgement.reason};
  if (!IsOfKept(judgement.reason)) return verdict;
  const policies::scheduling::DatedJudgement unkept = first.Judge(node);
  verdict.valid_until = std::min(verdict.valid_until, unkept.valid_until);
  verdict.kept = std::exchange(verdict.reason, unkept.reason);
  return verdict;
}

void FittingNodes::Replace(model::NodeIndex node, const Verdict& verdict, Clock::time_point now) {
  const Verdict former = std::exchange(verdicts_[node], verdict);
  if (!judged_) return;
  for (const ReasonId reason : {former.reason, former.kept}) {
    if (reason != kNoReason && FitsAgain(node, reason)) recoveries_[reason].push_back({node, now});
  }
}

bool FittingNodes::FitsAgain(model::NodeIndex node, ReasonId former) const {
  return Fits(node) && (verdicts_[node].kept == kNoReason || !IsOfKept(former));
}

void FittingNodes::Forget(Clock::time_point now) {
  for (auto entry = recoveries_.begin(); entry != recoveries_.end();) {
    const ReasonId former = entry->first;
    std::erase_if(entry->second, [&](const Recovery& recovery) {
      return !FitsAgain(recovery.node, former) || recovery.at + kRemembered <= now;
    });
    entry = entry->second.empty() ? recoveries_.erase(entry) : std::next(entry);
  }
}

bool FittingNodes::Fits(model::NodeIndex node) const { return verdicts_[node].reason == kNoReason; }

bool FittingNodes::IsOfKept(ReasonId reason) const {
  return engine_->reasons()[reason].policy == policies::scheduling::KeptPolicy::kName;
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
