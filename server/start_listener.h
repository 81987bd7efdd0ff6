#pragma once

#include <absl/status/statusor.h>

#include <memory>
#include <string>
#include <vector>

#include "server/health.h"
#include "server/http.h"
#include "server/listener.h"
#include "server/metrics.h"
#include "server/tls_certificates.h"

namespace berth::server {

/// Starts a listener that counts and logs under `name`, and logs the address that it listens on.
///
/// `address` is in the form that ParseAddress() reads. `certificates` is null for plain HTTP.
/// Limits are the defaults of ListenerLimits, with two threads. The memory for bodies is at least
/// twice the largest max_body of `routes`. `metrics` must outlive the listener. Errors are those of
/// Listener::Start().
absl::StatusOr<std::unique_ptr<Listener>> StartListener(
    const std::string& name, const std::string& address, std::vector<Route> routes,
    std::shared_ptr<const TlsCertificates> certificates, Metrics& metrics);

/// The addresses of the listeners that are plain HTTP, as "host:port".
struct PlainAddresses {
  /// Always given.
  std::string metrics;
  /// Empty: there is no listener for probes alone.
  std::string probes;
};

/// The listeners that are plain HTTP. Every server of Berth has them.
struct PlainListeners {
  /// Serves /metrics, /livez, /healthz and /readyz.
  std::unique_ptr<Listener> metrics;
  /// Serves only the last three, on a thread of its own, so that scrapes cannot delay them. Null if
  /// no address was given.
  std::unique_ptr<Listener> probes;
};

/// Ends a listener in an orderly way: asks its clients to close their connections for 1 s, then
/// calls Listener::Drain() with 10 s. Blocks for 1 to 11 s. Returns false if connections had to be
/// cut.
bool DrainListener(Listener& listener);

/// Starts the listeners "metrics" and "probes", each with one thread. They allow fewer connections
/// and less memory for replies than others. `not_ready` answers /readyz. Errors are those of
/// Listener::Start(); if one listener cannot start, neither runs.
absl::StatusOr<PlainListeners> StartPlainListeners(const PlainAddresses& addresses,
                                                   const std::shared_ptr<Metrics>& metrics,
                                                   const ReadinessCheck& not_ready);

}  // namespace berth::server
