#include "extender/preemption_veto.h"

#include <algorithm>

#include "model/accelerator_requests.h"
#include "policies/fit/fit.h"

namespace berth::extender {

using policies::fit::JudgeNode;
using policies::fit::JudgeRoom;
using policies::fit::Misfit;

namespace {

std::size_t HashOfUid(std::string_view uid) { return std::hash<std::string_view>()(uid); }

// Whether the node has room for `pod` beside what runs there and `expected`, which may be null.
bool HasRoom(const model::Pod& pod, const model::NodeState& node,
             const std::vector<model::Pod>* expected) {
  if (JudgeRoom(pod, node) != Misfit::kNone) return false;
  if (expected == nullptr) return true;
  model::NodeState later = node;
  for (const model::Pod& each : *expected) policies::fit::Book(each, later);
  return JudgeRoom(pod, later) == Misfit::kNone;
}

}  // namespace

std::string_view NameOf(PreemptionOutcome outcome) {
  static constexpr std::array<std::string_view, kAllPreemptionOutcomes.size()> kNames = {
      "vetoed", "no_room", "vetoed_before", "no_controller", "unknown_need", "not_planned"};
  return kNames[static_cast<std::size_t>(outcome)];
}

PreemptionOutcome PreemptionVeto::Judge(const model::Pod& pod,
                                        const model::AcceleratorCatalog& catalog,
                                        model::Time now) const {
  if (!IsPlanned(pod, catalog)) return PreemptionOutcome::kNotPlanned;
  if (policies::fit::UnknownNeed(pod) != policies::fit::Unknown::kNone) {
    return PreemptionOutcome::kUnknownNeed;
  }
  const bool led = planning_.controller_leads && planning_.controller_leads();
  if (!led) return PreemptionOutcome::kNoController;
  return WasVetoedEnough(pod.uid, now) ? PreemptionOutcome::kVetoedBefore
                                       : PreemptionOutcome::kVetoed;
}

bool PreemptionVeto::IsPlanned(const model::Pod& pod,
                               const model::AcceleratorCatalog& catalog) const {
  // Without a UID nobody could tell how often it was vetoed.
  return !pod.uid.empty() &&
         std::ranges::find(planning_.schedulers, pod.scheduler) != planning_.schedulers.end() &&
         !model::AcceleratorRequests(pod, catalog).empty();
}

bool PreemptionVeto::WasVetoedEnough(std::string_view uid, model::Time now) const {
  const std::lock_guard lock(mutex_);
  const auto known = records_.find(HashOfUid(uid));
  if (known == records_.end()) return false;
  // abs(), because a clock may be set back, too.
  const model::Duration since = std::chrono::abs(now - known->second.first);
  return since >= kLongest || (since >= kLeast && known->second.vetoes >= kEnough);
}

void PreemptionVeto::OnVetoed(std::string_view uid, model::Time now) {
  const std::size_t hash = HashOfUid(uid);
  const std::lock_guard lock(mutex_);
  const auto [known, is_new] = records_.try_emplace(hash, Record{.first = now});
  ++known->second.vetoes;
  if (!is_new) return;
  order_.push_back(hash);
  if (order_.size() <= most_) return;
  records_.erase(order_.front());
  order_.pop_front();
}

bool FitsSomewhere(const model::Pod& pod, const model::ClusterView& view,
                   const ExpectedPods& expected,
                   const policies::scheduling::SchedulingEngine& engine, model::Time now) {
  const policies::scheduling::PreparedPod prepared = engine.Prepare(pod, view, now);
  for (model::NodeIndex index = 0; index < view.EndIndex(); ++index) {
    const model::NodeState* const node = view.At(index);
    if (node == nullptr || JudgeNode(pod, node->node) != Misfit::kNone) continue;
    const auto more = expected.find(index);
    if (!HasRoom(pod, *node, more == expected.end() ? nullptr : &more->second)) continue;
    if (prepared.Judge(*node).fits) return true;
  }
  return false;
}

}  // namespace berth::extender
