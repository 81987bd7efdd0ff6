#pragma once

#include <absl/status/statusor.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/config.h"
#include "server/health.h"
#include "server/http.h"
#include "server/listener.h"
#include "server/metrics.h"
#include "server/tls_certificates.h"

namespace berth::cli {

/// Starts a listener that counts and logs under its name, and logs where it listens. `certificates`
/// is null for plain HTTP. UNAVAILABLE when the address cannot be listened on.
absl::StatusOr<std::unique_ptr<server::Listener>> StartListener(
    const std::string& name, const std::string& address, std::vector<server::Route> routes,
    std::shared_ptr<const server::TlsCertificates> certificates, server::Metrics& metrics);

/// The listeners of every server that are plain HTTP.
struct PlainListeners {
  /// /metrics, /livez, /healthz and /readyz.
  std::unique_ptr<server::Listener> metrics;
  /// The last three by themselves, with a thread of their own; null where none is configured.
  std::unique_ptr<server::Listener> probes;
};

/// Has the clients of a listener go and ends it: what has arrived is answered. Blocks for some
/// seconds at most; false where something had to be cut.
bool DrainListener(server::Listener& listener);

/// Starts the listeners "metrics" and "probes". They take fewer connections than others, and hold
/// fewer replies.
absl::StatusOr<PlainListeners> StartPlainListeners(const BerthConfiguration& config,
                                                   const std::shared_ptr<server::Metrics>& metrics,
                                                   const server::ReadinessCheck& not_ready);

}  // namespace berth::cli
