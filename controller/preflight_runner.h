#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "checks/check_pod.h"
#include "checks/condition_writer.h"
#include "checks/config.h"
#include "controller/preflight_metrics.h"
#include "kube/api_object.h"
#include "kube/json_api.h"
#include "kube/timer.h"
#include "kube/transport.h"
#include "model/time.h"
#include "planner/preflight.h"

namespace berth::controller {

/// Runs the preflights of gangs: makes the pods that planner::Preflights orders, reads what becomes
/// of them, writes the conditions of nodes at fault, and deletes the pods.
///
/// Controller owns it. Run() blocks, so give it a thread; the thread that plans calls Ask(). These
/// two may use it at the same time.
class PreflightRunner {
 public:
  /// What to run, and how often to look.
  struct Options {
    planner::PreflightConfig config;
    checks::CheckPodsConfig pods;
    checks::Names names;
    /// The owner of the pods; nothing: none, or it is not known yet.
    std::function<std::optional<kube::OwnerReference>()> owner;
    /// Returns whether this controller leads. Asked right before each step.
    std::function<bool()> may_write;
    /// The time that is compared with times in the API.
    std::function<model::Time()> now;
    /// From one step to the next.
    std::chrono::milliseconds interval{200};
    /// From one list of the pods to the next while any preflight runs, and while none does.
    std::chrono::milliseconds list_interval{1000};
    std::chrono::milliseconds idle_interval{15000};
    /// From a request that failed to the next step.
    std::chrono::milliseconds retry_interval{5000};
  };

  /// `transport` is connected to the API server. Everything pointed at must outlive this.
  PreflightRunner(Options options, kube::Transport* transport, kube::Timer* timer,
                  PreflightMetrics* metrics);

  /// Runs preflights while this controller leads. Returns when the timer is stopped.
  void Run();

  /// Whether a gang may be released; see planner::AskPreflight.
  planner::PreflightAnswer Ask(const planner::PreflightRequest& request);

 private:
  using Clock = kube::Timer::Clock;
  using Step = planner::Preflights::Step;

  void StepOnce();
  // Reads the pods anew if it is time. Returns whether they are known.
  bool List(bool is_busy);
  Step Decide();
  // Do what was decided, also after a request that the API server refuses; if it does not answer,
  // the rest is left. They return the first error, after which the next step comes later.
  absl::Status Write(const std::vector<planner::Preflights::Fault>& faults);
  absl::Status Delete(const std::vector<planner::PreflightPod>& pods);
  absl::Status Create(const std::vector<planner::Preflights::Order>& orders);
  absl::Status CreateOne(const planner::Preflights::Order& order);
  void OnError(const char* what, const absl::Status& error);
  // Another controller leads.
  void Forget();
  bool IsBusy();

  const Options options_;
  kube::Transport* const transport_;
  kube::Timer* const timer_;
  PreflightMetrics* const metrics_;
  kube::Api api_;
  checks::ConditionWriter writer_;

  // Of all preflights, as of the last list, and what was done since.
  std::vector<planner::PreflightPod> pods_;
  std::optional<Clock::time_point> listed_;
  // When to go on after a request that failed.
  Clock::time_point retry_{};

  // Guards preflights_, which both threads use.
  std::mutex mutex_;
  planner::Preflights preflights_;
};

}  // namespace berth::controller
