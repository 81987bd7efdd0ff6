#include "controller/preflight_runner.h"

#include <fmt/format.h>

#include <functional>
#include <set>
#include <string>
#include <utility>

#include "checks/pod_calls.h"
#include "checks/preflight_pod.h"

namespace berth::controller {

namespace {

using planner::PreflightOutcome;
using planner::PreflightPod;
using planner::Preflights;

PreflightOutcome OutcomeOf(checks::Outcome outcome) {
  switch (outcome) {
    case checks::Outcome::kPassed:
      return PreflightOutcome::kPassed;
    case checks::Outcome::kFailed:
      return PreflightOutcome::kFailed;
    case checks::Outcome::kNotRun:
      return PreflightOutcome::kNotRun;
    case checks::Outcome::kOpen:
      break;
  }
  return PreflightOutcome::kOpen;
}

PreflightPod ReadPod(const kube::JsonValue& object, const checks::Names& names) {
  checks::PreflightPodRead read = checks::ReadPreflightPod(object, names);
  return {.name = std::move(read.pod.name),
          .uid = std::move(read.pod.uid),
          .gang = std::move(read.gang),
          .run = read.run,
          .rank = read.rank,
          .address = std::move(read.address),
          .created = read.pod.created,
          .outcome = OutcomeOf(read.pod.outcome),
          .exit_code = read.pod.exit_code,
          .reason = std::move(read.pod.reason)};
}

bool IsAnswered(const absl::Status& status) {
  return !absl::IsUnavailable(status) && !absl::IsDeadlineExceeded(status) &&
         !absl::IsCancelled(status);
}

// Calls `act` for each item and returns the first error. It goes on after an error if the API
// server has answered.
template <typename Item, typename Act>
absl::Status ForEach(const std::vector<Item>& items, Act act) {
  absl::Status first;
  for (const Item& item : items) {
    const absl::Status status = act(item);
    first.Update(status);
    if (!status.ok() && !IsAnswered(status)) break;
  }
  return first;
}

}  // namespace

PreflightRunner::PreflightRunner(Options options, kube::Transport* transport, kube::Timer* timer,
                                 PreflightMetrics* metrics)
    : options_(std::move(options)),
      transport_(transport),
      timer_(timer),
      metrics_(metrics),
      api_(transport),
      writer_(transport),
      preflights_(options_.config) {}

planner::PreflightAnswer PreflightRunner::Ask(const planner::PreflightRequest& request) {
  const std::lock_guard guard(mutex_);
  return preflights_.Ask(request, timer_->Now());
}

void PreflightRunner::Run() {
  do {
    if (!options_.may_write()) {
      Forget();
    } else if (retry_ <= timer_->Now()) {
      StepOnce();
    }
  } while (timer_->Wait(options_.interval));
}

void PreflightRunner::StepOnce() {
  if (!List(IsBusy())) return;
  const Step step = Decide();
  for (const Preflights::Ended& ended : step.ended) metrics_->OnEnded(ended);
  // Copies, because deleting a pod removes it from the list.
  std::vector<PreflightPod> deletions;
  for (const PreflightPod* pod : step.deletions) deletions.push_back(*pod);
  // A failure of one kind holds up no other: what is to be deleted holds devices.
  for (const auto& [what, status] :
       {std::pair("write what a preflight has found", Write(step.faults)),
        std::pair("delete the pod of a preflight", Delete(deletions)),
        std::pair("create the pod of a preflight", Create(step.orders))}) {
    if (!status.ok()) OnError(what, status);
  }
}

bool PreflightRunner::IsBusy() {
  const std::lock_guard guard(mutex_);
  metrics_->OnRunning(preflights_.size());
  return preflights_.size() > 0;
}

bool PreflightRunner::List(bool is_busy) {
  const bool often = is_busy || !pods_.empty();
  const auto pause = often ? options_.list_interval : options_.idle_interval;
  if (listed_ && timer_->Now() < *listed_ + pause) return true;
  std::vector<PreflightPod> listed;
  const std::string& namespace_name = options_.names.namespace_name;
  const absl::Status status =
      api_.List(checks::PodsPath(namespace_name), {{"", "pods", "list"}, namespace_name, ""},
                [&](const kube::JsonValue& pod) { listed.push_back(ReadPod(pod, options_.names)); },
                {.labels = checks::PreflightLabel(options_.names)});
  if (!status.ok()) {
    OnError("list pods", status);
    return false;
  }
  pods_ = std::move(listed);
  listed_ = timer_->Now();
  return true;
}

PreflightRunner::Step PreflightRunner::Decide() {
  const std::lock_guard guard(mutex_);
  return preflights_.Decide(pods_, options_.now(), timer_->Now());
}

absl::Status PreflightRunner::Write(const std::vector<Preflights::Fault>& faults) {
  return ForEach(faults, [this](const Preflights::Fault& fault) {
    const absl::Status status =
        writer_.Write({.node = fault.node,
                       .uid = fault.node_uid,
                       .type = options_.config.condition,
                       .failed = true,
                       .message = fmt::format("preflight of gang {} failed with exit code {}",
                                              fault.gang, fault.exit_code)},
                      options_.now());
    // Somebody else writes the condition, or the node is gone.
    const bool is_final = absl::IsFailedPrecondition(status) || absl::IsNotFound(status);
    if (!status.ok() && !is_final) return status;
    metrics_->OnFault(fault, status);
    const std::lock_guard guard(mutex_);
    preflights_.OnWritten(fault);
    return absl::OkStatus();
  });
}

absl::Status PreflightRunner::Delete(const std::vector<PreflightPod>& pods) {
  return ForEach(pods, [this](const PreflightPod& pod) {
    absl::Status status =
        checks::DeletePodAtOnce(*transport_, options_.names.namespace_name, pod.name, pod.uid);
    if (status.ok()) {
      std::erase_if(pods_, [&pod](const PreflightPod& each) { return each.uid == pod.uid; });
    }
    return status;
  });
}

absl::Status PreflightRunner::Create(const std::vector<Preflights::Order>& orders) {
  // What is wrong with one pod of a gang is wrong with the others.
  std::set<std::string, std::less<>> refused;
  return ForEach(orders, [&](const Preflights::Order& order) {
    if (refused.contains(order.gang)) return absl::OkStatus();
    absl::Status status = CreateOne(order);
    if (absl::IsAborted(status)) {
      // A controller that led before has begun it, which the next list will show.
      listed_.reset();
      return absl::OkStatus();
    }
    if (!status.ok()) refused.insert(order.gang);
    return status;
  });
}

absl::Status PreflightRunner::CreateOne(const Preflights::Order& order) {
  const planner::PreflightConfig& config = options_.config;
  const std::string body =
      checks::PreflightPodJson({.image = config.image,
                                .command = config.command,
                                .timeout = config.timeout,
                                .run_as_user = config.run_as_user,
                                .port = config.port,
                                .gang = order.gang,
                                .run = order.run,
                                .rank = order.rank,
                                .size = order.size,
                                .master = order.master,
                                .node = order.place.node,
                                .node_uid = order.place.node_uid,
                                .requests = order.place.requests},
                               options_.pods, options_.names, options_.owner());
  const std::string& namespace_name = options_.names.namespace_name;
  return api_.Create(
      checks::PodsPath(namespace_name), {{"", "pods", "create"}, namespace_name, ""}, body,
      [&](const kube::JsonValue& pod) { pods_.push_back(ReadPod(pod, options_.names)); });
}

void PreflightRunner::OnError(const char* what, const absl::Status& error) {
  if (!absl::IsCancelled(error)) metrics_->OnError(what, error);
  retry_ = timer_->Now() + options_.retry_interval;
}

void PreflightRunner::Forget() {
  listed_.reset();
  pods_.clear();
  const std::lock_guard guard(mutex_);
  preflights_.Forget();
  metrics_->OnRunning(0);
}

}  // namespace berth::controller
