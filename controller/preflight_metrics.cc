#include "controller/preflight_metrics.h"

#include <chrono>
#include <string>

#include "server/log.h"

namespace berth::controller {

using planner::PreflightResult;
using server::LogLevel;

PreflightMetrics::PreflightMetrics(server::Metrics& metrics)
    : running_(&prometheus::BuildGauge()
                    .Name("berth_gang_preflights_running")
                    .Help("Preflights of gangs that run.")
                    .Register(metrics.registry())
                    .Add({})),
      errors_(&prometheus::BuildCounter()
                   .Name("berth_gang_preflight_errors_total")
                   .Help("Requests to the API server for preflights of gangs that failed.")
                   .Register(metrics.registry())
                   .Add({})),
      error_lines_(std::chrono::seconds(10)) {
  auto& ended = prometheus::BuildCounter()
                    .Name("berth_gang_preflights_total")
                    .Help("Preflights of gangs that have ended, by result.")
                    .Register(metrics.registry());
  for (std::size_t i = 0; i < ended_.size(); ++i) {
    ended_[i] = &ended.Add({{"result", std::string(NameOf(static_cast<PreflightResult>(i)))}});
  }
}

void PreflightMetrics::OnEnded(const planner::Preflights::Ended& ended) {
  ended_[static_cast<std::size_t>(ended.result)]->Increment();
  const bool is_well =
      ended.result == PreflightResult::kPassed || ended.result == PreflightResult::kDropped;
  server::Log(is_well ? LogLevel::kInfo : LogLevel::kWarning, "preflight of a gang ended",
              {{"gang", ended.gang},
               {"nodes", ended.nodes},
               {"result", NameOf(ended.result)},
               {"detail", ended.detail}});
}

void PreflightMetrics::OnFault(const planner::Preflights::Fault& fault,
                               const absl::Status& status) {
  server::Log(LogLevel::kWarning,
              status.ok() ? "preflight of a gang: node failed"
                          : "preflight of a gang: node failed, but has no condition of it",
              {{"gang", fault.gang},
               {"node", fault.node},
               {"exitCode", fault.exit_code},
               {"error", std::string(status.message())}});
}

void PreflightMetrics::OnRunning(std::size_t preflights) {
  running_->Set(static_cast<double>(preflights));
}

void PreflightMetrics::OnError(std::string_view what, const absl::Status& error) {
  errors_->Increment();
  const auto held_back = error_lines_.Admit();
  if (!held_back) return;
  server::Log(
      LogLevel::kWarning, "preflight of a gang: request failed",
      {{"request", what}, {"error", std::string(error.message())}, {"linesHeldBack", *held_back}});
}

}  // namespace berth::controller
