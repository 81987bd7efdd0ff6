#include "server/start_listener.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <thread>
#include <utility>

#include "server/http_metrics.h"
#include "server/listener_log.h"

namespace berth::server {

namespace {

// Time between asking clients to close their connections and closing them. A busy kube-scheduler or
// API server sends several requests a second, so it learns about it in time.
constexpr std::chrono::milliseconds kClosingTime{1'000};
// For requests that have arrived. Much less than the 30 s that kubelet gives a pod to end.
constexpr std::chrono::milliseconds kDrainTime{10'000};

// Returns the largest body of any route. The memory for bodies is at least twice as much, whatever
// the configuration says.
std::size_t LargestBody(const std::vector<Route>& routes) {
  std::size_t largest = 0;
  for (const Route& route : routes) largest = std::max(largest, route.max_body);
  return largest;
}

// For the few clients that scrape and probe. The reply to a scrape takes some 100 KB.
constexpr std::size_t kPlainConnections = 64;
constexpr std::size_t kPlainBytes = 16 << 20;

absl::StatusOr<std::unique_ptr<Listener>> StartNamed(const std::string& name,
                                                     ListenerOptions options,
                                                     std::vector<Route> routes, Metrics& metrics) {
  const std::string address = options.address;
  options.observer = ObserveWithMetrics(metrics, name, routes, std::make_shared<ListenerLog>(name));
  auto listener = Listener::Start(std::move(options), std::move(routes));
  if (!listener.ok()) return listener;
  LogListening(name, address, (*listener)->port());
  return listener;
}

ListenerOptions PlainOptions(const std::string& address) {
  ListenerOptions options;
  options.address = address;
  options.threads = 1;
  options.limits.connections = kPlainConnections;
  options.limits.bodies_bytes = kPlainBytes;
  return options;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Listener>> StartListener(
    const std::string& name, const std::string& address, std::vector<Route> routes,
    std::shared_ptr<const TlsCertificates> certificates, Metrics& metrics) {
  ListenerOptions options;
  options.address = address;
  options.limits.bodies_bytes = std::max(options.limits.bodies_bytes, 2 * LargestBody(routes));
  options.tls = std::move(certificates);
  return StartNamed(name, std::move(options), std::move(routes), metrics);
}

bool DrainListener(Listener& listener) {
  listener.BeginClosing();
  std::this_thread::sleep_for(kClosingTime);
  return listener.Drain(kDrainTime);
}

absl::StatusOr<PlainListeners> StartPlainListeners(const PlainAddresses& addresses,
                                                   const std::shared_ptr<Metrics>& metrics,
                                                   const ReadinessCheck& not_ready) {
  PlainListeners listeners;
  std::vector<Route> routes = ProbeRoutes(not_ready);
  if (!addresses.probes.empty()) {
    auto probes = StartNamed("probes", PlainOptions(addresses.probes), routes, *metrics);
    if (!probes.ok()) return probes.status();
    listeners.probes = *std::move(probes);
  }
  routes.push_back(MetricsRoute(metrics));
  auto scrapes =
      StartNamed("metrics", PlainOptions(addresses.metrics), std::move(routes), *metrics);
  if (!scrapes.ok()) return scrapes.status();
  listeners.metrics = *std::move(scrapes);
  return listeners;
}

}  // namespace berth::server
