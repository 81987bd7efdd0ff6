#include "planner/waiting_pod.h"

#include <algorithm>
#include <string_view>

#include "model/node.h"
#include "planner/doubling.h"

namespace berth::planner {

using model::Pod;

namespace {

// kube-scheduler's preemption begins with it what it has to say.
constexpr std::string_view kPreemption = "preemption: ";

// Whether kube-scheduler, when it refused the pod, began to preempt others for it, or waits for
// them to end. Otherwise its preemption has said why not (DefaultPreemption.PostFilter and
// PodEligibleToPreemptOthers in k8s.io/kubernetes/pkg/scheduler/framework/plugins/
// defaultpreemption/default_preemption.go, v1.36.3).
bool IsPreempting(const Pod& pod) {
  const std::string_view message = pod.unschedulable;
  // Of a PodGroup it says so, and nothing otherwise (PodGroupEvaluator in podgrouppreemption.go
  // beside the former, v1.37.2).
  if (!pod.scheduling_group.empty()) {
    return message.find(", preempting ") != std::string_view::npos ||
           message.find("ongoing preemption") != std::string_view::npos;
  }
  return message.find(kPreemption) == std::string_view::npos ||
         message.find("a terminating pod on the nominated node") != std::string_view::npos;
}

// Whether kube-scheduler, when it refused the pod, would have let a nomination stand: the pod may
// not preempt, or an extender vetoed it, or it did not fit its PodGroup
// (submitPodGroupAlgorithmResult in k8s.io/kubernetes/pkg/scheduler/schedule_one_podgroup.go,
// v1.37.2).
bool LetsNominationStand(const Pod& pod) {
  const std::string_view message = pod.unschedulable;
  if (!pod.scheduling_group.empty()) return !message.empty();
  return message.find("preemption: not eligible") != std::string_view::npos ||
         message.find("preemption: no candidate node") != std::string_view::npos;
}

}  // namespace

std::optional<Outcome> WaitingPod::Update(const Pod& pod, Clock::time_point now) {
  std::optional<Outcome> outcome;
  if (promise_) {
    const bool before_echo =
        !promise_->seen && (pod.nominated_node.empty() || IsWrittenByPlan(pod));
    if (pod.nominated_node == promise_->node) {
      outcome = OnEcho(pod, now);
    } else if (before_echo) {
      promise_->message = pod.unschedulable;
    } else {
      outcome = pod.nominated_node.empty() ? Outcome::kCleared : Outcome::kSuperseded;
      if (outcome == Outcome::kCleared) BackOff(now);
      promise_.reset();
    }
  }
  pod_ = pod;
  return outcome;
}

std::optional<Outcome> WaitingPod::OnEcho(const Pod& pod, Clock::time_point now) {
  if (promise_->node.empty()) {
    promise_.reset();
    return std::nullopt;
  }
  const bool tried =
      promise_->seen && !pod.unschedulable.empty() && pod.unschedulable != promise_->message;
  promise_->seen = true;
  promise_->message = pod.unschedulable;
  if (!tried) return std::nullopt;
  if (!IsPreempting(pod)) {
    BackOff(now);
    return std::nullopt;
  }
  failed_node_ = promise_->node;
  const Outcome outcome = promise_->evicts ? Outcome::kEvicted : Outcome::kSuperseded;
  promise_.reset();
  return outcome;
}

void WaitingPod::BackOff(Clock::time_point now) {
  retry_ = now + Doubled(kBackoff, failures_, kMaxBackoff);
  failed_node_ = promise_->node;
  ++failures_;
}

bool WaitingPod::IsWrittenByPlan(const Pod& pod) const {
  return !pod.nominated_node.empty() &&
         model::Find(pod.annotations, *annotation_) == pod.nominated_node;
}

bool WaitingPod::IsOverdue(Clock::time_point now, Clock::time_point busy) const {
  if (!IsOurs() || !promise_->seen || HasFailed()) return false;
  const Clock::time_point written = promise_->written;
  if (promise_->evicts) return written + kUnanswered <= now;
  if (!LetsNominationStand(pod_)) return false;
  return std::max(written, busy) + kUnanswered <= now || written + kUnansweredIfBusy <= now;
}

void WaitingPod::Settle(Clock::time_point now, Clock::time_point busy) {
  if (promise_ && !promise_->seen && promise_->written + kLost <= now) Revert();
  if (IsOverdue(now, busy)) BackOff(now);
  if (promise_ || !IsWrittenByPlan(pod_)) return;
  // kube-scheduler may have cleared what the plan has written, and nominated the node itself. It
  // only does so for pods that it has refused: of others, a watch that catches up shows again what
  // the plan has written and withdrawn before.
  const bool failed = pod_.nominated_node == failed_node_;
  if (IsRefused() && (IsPreempting(pod_) || failed)) return;
  if (failed) failed_node_.clear();
  promise_ = {pod_.nominated_node, now, true, pod_.unschedulable};
}

void WaitingPod::OnWritten(const std::string& node, Clock::time_point now, bool evicts) {
  promise_ = {node, now, false, pod_.unschedulable, evicts};
  if (!node.empty()) failed_node_.clear();
}

void WaitingPod::OnFailed() {
  if (!promise_) return;
  retry_ = std::max(retry_, promise_->written + kRetry);
  Revert();
}

void WaitingPod::Revert() {
  const bool stands = IsWithdrawn() && !pod_.nominated_node.empty();
  promise_->node = pod_.nominated_node;
  promise_->seen = true;
  if (!stands) promise_.reset();
}

bool WaitingPod::FoundNoVictims() const {
  const std::string_view message = pod_.unschedulable;
  const std::size_t said = message.find(kPreemption);
  return said != std::string_view::npos &&
         !message.substr(said + kPreemption.size()).starts_with("not eligible");
}

bool WaitingPod::IsEvicting() const { return IsRefused() && IsPreempting(pod_); }

const std::string& WaitingPod::Node() const {
  return promise_ ? promise_->node : pod_.nominated_node;
}

}  // namespace berth::planner
