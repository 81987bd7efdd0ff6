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

/// Starts a listener that counts and logs under its name, and logs where it listens. `certificates`
/// is null for plain HTTP. UNAVAILABLE when the address cannot be listened on.
absl::StatusOr<std::unique_ptr<Listener>> StartListener(
    const std::string& name, const std::string& address, std::vector<Route> routes,
    std::shared_ptr<const TlsCertificates> certificates, Metrics& metrics);

/// Where the listeners that are plain HTTP listen, as "host:port".
struct PlainAddresses {
  std::string metrics;
  /// Empty: there is no such listener.
  std::string probes;
};

/// The listeners of every server that are plain HTTP.
struct PlainListeners {
  /// /metrics, /livez, /healthz and /readyz.
  std::unique_ptr<Listener> metrics;
  /// The last three by themselves, with a thread of their own; null where none is configured.
  std::unique_ptr<Listener> probes;
};

/// Has the clients of a listener go and ends it: what has arrived is answered. Blocks for some
/// seconds at most; false where something had to be cut.
bool DrainListener(Listener& listener);

/// Starts the listeners "metrics" and "probes". They take fewer connections than others, and hold
/// fewer replies.
absl::StatusOr<PlainListeners> StartPlainListeners(const PlainAddresses& addresses,
                                                   const std::shared_ptr<Metrics>& metrics,
                                                   const ReadinessCheck& not_ready);

}  // namespace berth::server
