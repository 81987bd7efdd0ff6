#include "checks/metrics.h"

#include <array>
#include <chrono>

#include "server/log.h"

namespace berth::checks {

namespace {

constexpr std::array<std::string_view, kResults> kNames = {"passed", "failed", "not_run", "yielded",
                                                           "stood_back"};

prometheus::Labels LabelsOf(const std::string& check, Result result) {
  return {{"check", check}, {"result", std::string(NameOf(result))}};
}

}  // namespace

std::string_view NameOf(Result result) { return kNames[static_cast<std::size_t>(result)]; }

Metrics::Metrics(server::Metrics& metrics)
    : ended_(&prometheus::BuildCounter()
                  .Name("berth_active_checks_total")
                  .Help("Active checks of nodes that have ended, by check and result.")
                  .Register(metrics.registry())),
      running_(&prometheus::BuildGauge()
                    .Name("berth_active_checks_running")
                    .Help("Active checks of nodes that wait or run.")
                    .Register(metrics.registry())),
      errors_(&prometheus::BuildCounter()
                   .Name("berth_active_check_errors_total")
                   .Help("Requests to the API server for active checks that failed.")
                   .Register(metrics.registry())
                   .Add({})),
      error_lines_(std::chrono::seconds(10)) {}

void Metrics::OnConfigured(const std::vector<ActiveCheck>& checks) {
  for (const ActiveCheck& check : checks) {
    for (std::size_t i = 0; i < kResults; ++i) {
      ended_->Add(LabelsOf(check.name, static_cast<Result>(i)));
    }
    running_->Add({{"check", check.name}}).Set(0);
  }
}

void Metrics::OnEnded(const std::string& check, const std::string& node, Result result,
                      std::string_view detail) {
  ended_->Add(LabelsOf(check, result)).Increment();
  const bool warns = result == Result::kFailed || result == Result::kStoodBack;
  server::Log(warns ? server::LogLevel::kWarning : server::LogLevel::kInfo, "active check ended",
              {{"check", check}, {"node", node}, {"result", NameOf(result)}, {"detail", detail}});
}

void Metrics::OnRunning(const std::string& check, std::size_t pods) {
  running_->Add({{"check", check}}).Set(static_cast<double>(pods));
}

void Metrics::OnError(std::string_view what, const absl::Status& error) {
  errors_->Increment();
  const auto held_back = error_lines_.Admit();
  if (!held_back) return;
  server::Log(
      server::LogLevel::kWarning, "active check: request failed",
      {{"request", what}, {"error", std::string(error.message())}, {"linesHeldBack", *held_back}});
}

}  // namespace berth::checks
