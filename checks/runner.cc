#include "checks/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "checks/pod_calls.h"

namespace berth::checks {

namespace {

using kube::JsonValue;

bool IsOpen(const CheckPod& pod) { return pod.outcome == Outcome::kOpen; }

std::string MessageOf(const CheckPod& pod, const ActiveCheck& check) {
  if (pod.outcome == Outcome::kPassed) return fmt::format("active check {} passed", check.name);
  return fmt::format("active check {} failed with exit code {}", check.name, pod.exit_code);
}

}  // namespace

Runner::Runner(Options options,
               std::shared_ptr<const policies::scheduling::SchedulingEngine> engine,
               const cluster::Snapshot* snapshot, kube::Transport* transport, kube::Timer* timer,
               Metrics* metrics)
    : options_(std::move(options)),
      snapshot_(snapshot),
      transport_(transport),
      timer_(timer),
      metrics_(metrics),
      api_(transport),
      writer_(transport),
      plan_(options_.checks, std::move(engine), options_.names) {
  metrics_->OnConfigured(options_.checks);
}

void Runner::Run() {
  if (options_.checks.empty()) return;
  do {
    if (options_.may_write() && snapshot_->Synced()) {
      Step();
    } else {
      Forget();
    }
  } while (timer_->Wait(options_.interval));
}

void Runner::Step() {
  if (!List()) return;
  ExplainGone();
  const Plan::Round round = Decide();
  // Copies, because ending a pod removes it from the list.
  std::vector<std::pair<CheckPod, Plan::Ending>> endings;
  for (const Plan::Ending& ending : round.endings) endings.emplace_back(pods_[ending.pod], ending);
  for (const auto& [pod, ending] : endings) End(pod, ending);
  if (round.order) Begin(*round.order);
  Conclude();
  ReportRunning();
}

bool Runner::List() {
  const auto pause = pods_.empty() ? options_.idle_interval : options_.list_interval;
  if (listed_ && timer_->Now() < *listed_ + pause) return true;
  std::vector<CheckPod> listed;
  const absl::Status status =
      api_.List(PodsPath(options_.names.namespace_name),
                {{"", "pods", "list"}, options_.names.namespace_name, ""},
                [&](const JsonValue& pod) { listed.push_back(ReadCheckPod(pod, options_.names)); },
                {.labels = CheckLabel(options_.names)});
  if (!status.ok()) {
    if (!absl::IsCancelled(status)) metrics_->OnError("list pods", status);
    // What is known does for another while; without anything, nothing can be decided.
    if (listed_) listed_ = timer_->Now();
    return listed_.has_value();
  }
  NoticeGone(listed);
  pods_ = std::move(listed);
  PrunePods();
  listed_ = timer_->Now();
  return true;
}

void Runner::NoticeGone(const std::vector<CheckPod>& listed) {
  for (const CheckPod& pod : pods_) {
    const bool is_there = std::ranges::find(listed, pod.uid, &CheckPod::uid) != listed.end();
    if (is_there || !IsOpen(pod) || plan_.Find(pod.check) == nullptr) continue;
    gone_.emplace_back(pod, timer_->Now());
    const std::lock_guard guard(mutex_);
    plan_.OnTried(pod.check, pod.node, timer_->Now());
  }
}

void Runner::ExplainGone() {
  std::erase_if(gone_, [this](const auto& each) {
    const auto& [pod, since] = each;
    // A preemption may be over before the pod was seen to be its victim.
    const bool yielded = pod.preempted || IsUsed(pod.node);
    if (!yielded && timer_->Now() < since + options_.preemption_time) return false;
    metrics_->OnEnded(pod.check, pod.node, yielded ? Result::kYielded : Result::kNotRun,
                      yielded ? "kube-scheduler has given the node away" : "somebody deleted it");
    return true;
  });
}

bool Runner::IsUsed(const std::string& node) const {
  const cluster::Snapshot::Reader reader = snapshot_->Read();
  const auto index = reader.Find(node);
  if (!index) return false;
  const model::NodeState& state = *reader.At(*index);
  if (state.accelerator == model::AcceleratorCatalog::kNone) return false;
  return model::HasDevicesOf(snapshot_->catalog()[state.accelerator], state.used);
}

void Runner::Conclude() {
  const auto ended = NextEnded();
  if (ended == pods_.end() || timer_->Now() < TurnOf(*ended)) return;
  const absl::Status status = Conclude(*ended);
  if (status.ok()) {
    retries_.erase(ended->uid);
    told_.erase(ended->uid);
    pods_.erase(ended);
  } else if (!absl::IsCancelled(status)) {
    metrics_->OnError("write what a check has found", status);
    retries_[ended->uid] = timer_->Now() + options_.retry_interval;
  }
}

std::vector<CheckPod>::iterator Runner::NextEnded() {
  auto next = pods_.end();
  for (auto pod = pods_.begin(); pod != pods_.end(); ++pod) {
    if (IsOpen(*pod) || pod->deleted) continue;
    if (next == pods_.end() || TurnOf(*pod) < TurnOf(*next)) next = pod;
  }
  return next;
}

Runner::Clock::time_point Runner::TurnOf(const CheckPod& pod) const {
  const auto retry = retries_.find(pod.uid);
  return retry == retries_.end() ? Clock::time_point::min() : retry->second;
}

void Runner::PrunePods() {
  const auto is_gone = [this](const std::string& uid) {
    return std::ranges::find(pods_, uid, &CheckPod::uid) == pods_.end();
  };
  std::erase_if(retries_, [&](const auto& retry) { return is_gone(retry.first); });
  std::erase_if(told_, is_gone);
}

absl::Status Runner::Conclude(const CheckPod& pod) {
  const ActiveCheck* const check = plan_.Find(pod.check);
  if (check != nullptr && !told_.contains(pod.uid)) {
    const absl::Status told = Tell(pod, *check);
    if (!told.ok()) return told;
    told_.insert(pod.uid);
  }
  return Delete(pod);
}

absl::Status Runner::Tell(const CheckPod& pod, const ActiveCheck& check) {
  Result result = Result::kNotRun;
  std::string detail = pod.reason;
  if (pod.outcome != Outcome::kNotRun) {
    const bool failed = pod.outcome == Outcome::kFailed;
    detail = MessageOf(pod, check);
    const absl::Status written = writer_.Write({.node = pod.node,
                                                .uid = pod.node_uid,
                                                .type = check.condition,
                                                .failed = failed,
                                                .message = detail},
                                               options_.now());
    const bool foreign = absl::IsFailedPrecondition(written);
    if (!written.ok() && !foreign && !absl::IsNotFound(written)) return written;
    if (written.ok()) result = failed ? Result::kFailed : Result::kPassed;
    if (foreign) result = Result::kStoodBack;
    if (!written.ok()) detail = std::string(written.message());
  } else if (pod.preempted) {
    result = Result::kYielded;
  }
  metrics_->OnEnded(check.name, pod.node, result, detail);
  const std::lock_guard guard(mutex_);
  plan_.OnTried(check.name, pod.node, timer_->Now());
  if (result == Result::kStoodBack) plan_.OnStoodBack(check.name, pod.node, timer_->Now());
  return absl::OkStatus();
}

Plan::Round Runner::Decide() {
  const std::lock_guard guard(mutex_);
  return plan_.Decide(snapshot_->Read(), pods_, options_.now(), timer_->Now());
}

void Runner::End(const CheckPod& pod, const Plan::Ending& ending) {
  const absl::Status status = Delete(pod);
  if (absl::IsCancelled(status)) return;
  if (!status.ok()) {
    metrics_->OnError("delete the pod of a check", status);
    return;
  }
  std::erase_if(pods_, [&pod](const CheckPod& each) { return each.uid == pod.uid; });
  const std::lock_guard guard(mutex_);
  if (plan_.Find(pod.check) == nullptr) return;
  const bool yields = !ending.for_pod.empty();
  metrics_->OnEnded(pod.check, pod.node, yields ? Result::kYielded : Result::kNotRun,
                    yields ? "for " + ending.for_pod : ending.why);
  plan_.OnTried(pod.check, pod.node, timer_->Now());
}

void Runner::Begin(const Order& order) {
  const std::string& check = order.check.name;
  const absl::Status may = writer_.MayWrite(order.node, order.node_uid, order.check.condition);
  {
    const std::lock_guard guard(mutex_);
    plan_.OnTried(check, order.node, timer_->Now());
    if (absl::IsFailedPrecondition(may)) plan_.OnStoodBack(check, order.node, timer_->Now());
  }
  if (absl::IsFailedPrecondition(may)) {
    metrics_->OnEnded(check, order.node, Result::kStoodBack, std::string(may.message()));
    return;
  }
  const absl::Status status = may.ok() ? Create(order) : may;
  // Aborted: another controller has begun it. NotFound: the node is gone.
  if (status.ok() || absl::IsAborted(status) || absl::IsNotFound(status)) return;
  if (!absl::IsCancelled(status)) metrics_->OnError("begin a check", status);
}

absl::Status Runner::Create(const Order& order) {
  return api_.Create(PodsPath(options_.names.namespace_name),
                     {{"", "pods", "create"}, options_.names.namespace_name, ""},
                     PodJson(order, options_.pods, options_.names, options_.owner()),
                     [&](const JsonValue& pod) {
                       pods_.push_back(ReadCheckPod(pod, options_.names));
                       const std::lock_guard guard(mutex_);
                       plan_.OnCreated(pods_.back().uid, timer_->Now());
                     });
}

absl::Status Runner::Delete(const CheckPod& pod) {
  return DeletePodAtOnce(*transport_, options_.names.namespace_name, pod.name, pod.uid);
}

void Runner::ReportRunning() {
  for (const ActiveCheck& check : options_.checks) {
    const auto open = std::ranges::count_if(pods_, [&check](const CheckPod& pod) {
      return pod.check == check.name && IsOpen(pod) && !pod.deleted;
    });
    metrics_->OnRunning(check.name, static_cast<std::size_t>(open));
  }
}

void Runner::Forget() {
  if (!listed_) return;
  listed_.reset();
  pods_.clear();
  retries_.clear();
  gone_.clear();
  ReportRunning();
}

void Runner::OnReplaceBegin() {
  const std::lock_guard guard(mutex_);
  plan_.claimants().BeginReplace();
}

void Runner::OnReplaceEnd(const std::string&) {
  const std::lock_guard guard(mutex_);
  plan_.claimants().EndReplace();
}

void Runner::OnUpsert(model::Pod pod) {
  if (options_.checks.empty()) return;
  const std::lock_guard guard(mutex_);
  plan_.claimants().Upsert(pod, timer_->Now());
}

void Runner::OnUnreadable(const kube::UnreadableObject& pod) {
  const std::lock_guard guard(mutex_);
  plan_.claimants().Keep(pod);
}

void Runner::OnDelete(model::Pod pod) {
  const std::lock_guard guard(mutex_);
  plan_.claimants().Remove(pod);
}

}  // namespace berth::checks
