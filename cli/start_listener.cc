#include "cli/start_listener.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
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

// Of any route: the budget holds one of it whatever the configuration says, and as much again.
std::size_t LargestBody(const std::vector<server::Route>& routes) {
  std::size_t largest = 0;
  for (const server::Route& route : routes) largest = std::max(largest, route.max_body);
  return largest;
}

// For the few who read metrics and probe. The reply to a scrape takes some 100 KB.
constexpr std::size_t kPlainConnections = 64;
constexpr std::size_t kPlainBytes = 16 << 20;

absl::StatusOr<std::unique_ptr<server::Listener>> StartNamed(const std::string& name,
                                                             server::ListenerOptions options,
                                                             std::vector<server::Route> routes,
                                                             server::Metrics& metrics) {
  const std::string address = options.address;
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

server::ListenerOptions PlainOptions(const std::string& address) {
  server::ListenerOptions options;
  options.address = address;
  options.threads = 1;
  options.limits.connections = kPlainConnections;
  options.limits.bodies_bytes = kPlainBytes;
  return options;
}

}  // namespace

absl::StatusOr<std::unique_ptr<server::Listener>> StartListener(
    const std::string& name, const std::string& address, std::vector<server::Route> routes,
    std::shared_ptr<const server::TlsCertificates> certificates, server::Metrics& metrics) {
  server::ListenerOptions options;
  options.address = address;
  options.limits.bodies_bytes = std::max(options.limits.bodies_bytes, 2 * LargestBody(routes));
  options.tls = std::move(certificates);
  return StartNamed(name, std::move(options), std::move(routes), metrics);
}

bool DrainListener(server::Listener& listener) {
  listener.BeginClosing();
  std::this_thread::sleep_for(kClosingTime);
  return listener.Drain(kDrainTime);
}

absl::StatusOr<PlainListeners> StartPlainListeners(const BerthConfiguration& config,
                                                   const std::shared_ptr<server::Metrics>& metrics,
                                                   const server::ReadinessCheck& not_ready) {
  PlainListeners listeners;
  std::vector<server::Route> routes = server::ProbeRoutes(not_ready);
  if (!config.probes.listen.empty()) {
    auto probes = StartNamed("probes", PlainOptions(config.probes.listen), routes, *metrics);
    if (!probes.ok()) return probes.status();
    listeners.probes = *std::move(probes);
  }
  routes.push_back(server::MetricsRoute(metrics));
  auto scrapes =
      StartNamed("metrics", PlainOptions(config.metrics.listen), std::move(routes), *metrics);
  if (!scrapes.ok()) return scrapes.status();
  listeners.metrics = *std::move(scrapes);
  return listeners;
}

}  // namespace berth::cli
