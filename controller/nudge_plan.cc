#include "controller/nudge_plan.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "model/accelerator_requests.h"
#include "policies/fit/trimmed_pod.h"

namespace berth::controller {

namespace {

std::string KeyOf(std::string_view namespace_name, std::string_view name) {
  return std::string(namespace_name).append(1, '/').append(name);
}

std::string KeyOf(const model::Pod& pod) { return KeyOf(pod.namespace_, pod.name); }

}  // namespace

NudgePlan::NudgePlan(std::shared_ptr<const policies::scheduling::SchedulingEngine> engine)
    : engine_(std::move(engine)) {}

void NudgePlan::Upsert(const model::Pod& pod, Clock::time_point now) {
  const bool waits = pod.node_name.empty() && !pod.terminated;
  if (!waits || model::AcceleratorRequests(pod, engine_->catalog()).empty()) {
    return Remove(pod);
  }
  WaitingPod& waiting = PodOf(pod, now);
  waiting.Update(pod, engine_->reasons(), now);
  SetShape(waiting, ShapeOf(pod));
}

WaitingPod& NudgePlan::PodOf(const model::Pod& pod, Clock::time_point now) {
  const auto [found, is_new] = waiting_.try_emplace(KeyOf(pod), Entry{WaitingPod(pod, now)});
  Entry& entry = found->second;
  entry.epoch = epoch_;
  if (entry.pod.uid() != pod.uid) {
    SetShape(entry.pod, nullptr);
    entry.pod = WaitingPod(pod, now);
  }
  return entry.pod;
}

void NudgePlan::Remove(const model::Pod& pod) {
  const auto found = waiting_.find(KeyOf(pod));
  if (found != waiting_.end() && found->second.pod.uid() == pod.uid) Erase(found);
}

void NudgePlan::Keep(const kube::UnreadableObject& pod) {
  const auto found = waiting_.find(kube::FullNameOf(pod));
  if (found == waiting_.end()) return;
  Entry& entry = found->second;
  if (!pod.uid.empty() && entry.pod.uid() != pod.uid) {
    Erase(found);
    return;
  }
  entry.epoch = epoch_;
}

void NudgePlan::EndReplace() {
  for (auto entry = waiting_.begin(); entry != waiting_.end();) {
    entry = entry->second.epoch == epoch_ ? std::next(entry) : Erase(entry);
  }
}

NudgePlan::Entries::iterator NudgePlan::Erase(Entries::iterator entry) {
  SetShape(entry->second.pod, nullptr);
  return waiting_.erase(entry);
}

PodShape* NudgePlan::ShapeOf(const model::Pod& pod) {
  const std::string key = engine_->ShapeOf(pod);
  const auto found = shapes_.find(key);
  if (found != shapes_.end()) return found->second.get();
  if (shapes_.size() >= kMaxShapes || key.size() > kMaxShapeBytes) return nullptr;
  if (!policies::fit::ExcessOf(pod).empty()) return nullptr;
  return shapes_.emplace(key, std::make_unique<PodShape>(key, engine_, pod)).first->second.get();
}

void NudgePlan::SetShape(WaitingPod& pod, PodShape* shape) {
  PodShape* const former = pod.shape();
  pod.set_shape(shape);
  if (shape != nullptr) ++shape->pods;
  if (former == nullptr || --former->pods > 0) return;
  const std::string key = former->key();
  shapes_.erase(key);
}

void NudgePlan::Judge(const model::ClusterView& view, model::Time time, Clock::time_point now) {
  for (auto& [key, shape] : shapes_) shape->Judge(view, time, now);
  for (auto& [key, entry] : waiting_) {
    entry.pod.CheckReport();
    entry.pod.Expire(now);
  }
  PlanDue(view, now);
}

void NudgePlan::PlanDue(const model::ClusterView& view, Clock::time_point now) {
  due_.clear();
  const std::vector<const WaitingPod*> contenders = Contenders(now);
  if (contenders.empty()) return;
  FreeDevices free(view);
  std::size_t outstanding = 0;
  for (const auto& [key, entry] : waiting_) {
    if (!entry.pod.IsOutstanding(now)) continue;
    entry.pod.PromiseAgain(free);
    ++outstanding;
  }
  for (auto& [key, shape] : shapes_) shape->BeginRound();
  for (const WaitingPod* const pod : contenders) {
    if (outstanding + due_.size() >= kMaxOutstanding) return;
    const auto node = pod->TakeRoom(free, now);
    if (node) due_.push_back({KeyOf(pod->namespace_name(), pod->name()), pod->uid(), *node});
  }
}

std::vector<const WaitingPod*> NudgePlan::Contenders(Clock::time_point now) {
  std::vector<const WaitingPod*> contenders;
  for (const auto& [key, entry] : waiting_) {
    const WaitingPod& pod = entry.pod;
    if (!pod.IsOutstanding(now) && pod.HasCause(now)) contenders.push_back(&pod);
  }
  std::sort(contenders.begin(), contenders.end(),
            [](const WaitingPod* a, const WaitingPod* b) { return a->ComesBefore(*b); });
  return contenders;
}

std::optional<NudgeTarget> NudgePlan::TakeDue(Clock::time_point now) {
  while (!due_.empty()) {
    const Due due = std::move(due_.front());
    due_.pop_front();
    const auto found = waiting_.find(due.key);
    if (found == waiting_.end()) continue;
    WaitingPod& pod = found->second.pod;
    // What has changed about the pod meanwhile is judged first.
    if (pod.uid() != due.uid || pod.HasNewReport()) continue;
    pod.OnNudged(due.node, now);
    return NudgeTarget{pod.namespace_name(), pod.name(), pod.uid()};
  }
  return std::nullopt;
}

}  // namespace berth::controller
