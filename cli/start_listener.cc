#include "cli/start_listener.h"

#include <chrono>
#include <thread>
#include <utility>

#include "cli/listener_log.h"
#include "server/address.h"
#include "server/http_metrics.h"
#include "server/log.h"

namespace berth::cli {

namespace {

// Between asking clients to close their connections and closing them; kube-scheduler and the API
// server, when busy, send several requests a second.
constexpr std::chrono::milliseconds kClosingTime{1'000};
// For requests that have arrived. Well within the 30 s that kubelet gives a pod to end.
constexpr std::chrono::milliseconds kDrainTime{10'000};

}  // namespace

absl::StatusOr<std::unique_ptr<server::Listener>> StartListener(
    const std::string& name, const std::string& address, std::vector<server::Route> routes,
    std::shared_ptr<const server::TlsCertificates> certificates, server::Metrics& metrics) {
  server::ListenerOptions options;
  options.address = address;
  options.tls = std::move(certificates);
  options.observer =
      server::ObserveWithMetrics(metrics, name, routes, std::make_shared<ListenerLog>(name));
  auto listener = server::Listener::Start(std::move(options), std::move(routes));
  if (!listener.ok()) return listener;
  server::Address bound = server::ParseAddress(address).value();
  bound.port = (*listener)->port();
  server::Log(server::LogLevel::kInfo, "listening",
              {{"listener", name}, {"address", ToString(bound)}});
  return listener;
}

bool DrainListener(server::Listener& listener) {
  listener.BeginClosing();
  std::this_thread::sleep_for(kClosingTime);
  return listener.Drain(kDrainTime);
}

absl::StatusOr<std::unique_ptr<server::Listener>> StartMetricsListener(
    const std::string& address, const std::shared_ptr<server::Metrics>& metrics,
    server::ReadinessCheck not_ready) {
  return StartListener("metrics", address,
                       {server::MetricsRoute(metrics), server::HealthzRoute(),
                        server::ReadyzRoute(std::move(not_ready))},
                       nullptr, *metrics);
}

}  // namespace berth::cli
