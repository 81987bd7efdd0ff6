#include "process/server.h"

#include <fmt/format.h>

#include <utility>

#include "config/summary.h"
#include "process/certificates.h"
#include "process/version.h"
#include "server/log.h"
#include "server/signals.h"

namespace berth::process {

using server::Log;
using server::LogLevel;

namespace {

LogLevel LogLevelOf(const config::LogConfig& config) {
  switch (config.level) {
    case config::LogThreshold::kDebug:
      return LogLevel::kDebug;
    case config::LogThreshold::kInfo:
      return LogLevel::kInfo;
    case config::LogThreshold::kWarning:
      return LogLevel::kWarning;
    case config::LogThreshold::kError:
      return LogLevel::kError;
  }
  return LogLevel::kInfo;
}

}  // namespace

absl::Status ServeUntilSignal(ConfigFollower::Options config, const StartServer& start) {
  // Before the first thread starts, because threads inherit the blocked signals.
  server::ShutdownSignals signals;
  server::SetLogLevel(LogLevelOf(config.config.log));
  Log(LogLevel::kInfo, "starting",
      {{"version", Version()},
       {"revision", Revision()},
       {"configFile", config.file},
       {"config", config::Summarize(config.config)}});
  const auto server = start(std::move(config));
  if (!server.ok()) return server.status();
  const int signal = signals.Wait();
  Log(LogLevel::kInfo, "draining", {{"signal", signal}});
  const bool answered_all = (*server)->Drain();
  Log(LogLevel::kInfo, "ended", {{"answeredAll", answered_all}});
  return absl::OkStatus();
}

std::unique_ptr<ConfigFollower> Follow(
    ConfigFollower::Options config, server::Metrics& metrics,
    std::function<void(const config::BerthConfiguration&)> apply) {
  return std::make_unique<ConfigFollower>(
      std::move(config), metrics,
      [apply = std::move(apply)](const config::BerthConfiguration& changed) {
        server::SetLogLevel(LogLevelOf(changed.log));
        apply(changed);
      });
}

void LogApiServer(const kube::ApiConfig& api) {
  Log(LogLevel::kInfo, "following the API server",
      {{"address", fmt::format("{}:{}", api.host, api.port)}});
}

absl::StatusOr<Listeners> Listen(const config::BerthConfiguration& config,
                                 std::optional<Endpoint> endpoint,
                                 const std::shared_ptr<server::Metrics>& metrics,
                                 const server::ReadinessCheck& not_ready) {
  metrics->AddBuildInfo(Version(), Revision());
  auto plain = server::StartPlainListeners(
      {.metrics = config.metrics.listen, .probes = config.probes.listen}, metrics, not_ready);
  if (!plain.ok()) return plain.status();
  Listeners listeners{.plain = *std::move(plain)};
  if (!endpoint) return listeners;
  AddCertificateMetrics(endpoint->certificates, *metrics);
  auto listener =
      server::StartListener(endpoint->name, endpoint->address, std::move(endpoint->routes),
                            std::move(endpoint->certificates), *metrics);
  if (!listener.ok()) return listener.status();
  listeners.endpoint = *std::move(listener);
  return listeners;
}

}  // namespace berth::process
