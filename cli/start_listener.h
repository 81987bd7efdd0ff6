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

namespace berth::cli {

/// Starts a listener that counts and logs under its name, and logs where it listens. `certificates`
/// is null for plain HTTP. UNAVAILABLE when the address cannot be listened on.
absl::StatusOr<std::unique_ptr<server::Listener>> StartListener(
    const std::string& name, const std::string& address, std::vector<server::Route> routes,
    std::shared_ptr<const server::TlsCertificates> certificates, server::Metrics& metrics);

/// Has the clients of a listener go and ends it: what has arrived is answered. Blocks for some
/// seconds at most; false where something had to be cut.
bool DrainListener(server::Listener& listener);

/// The listener "metrics" of every server: /metrics, /healthz and /readyz.
absl::StatusOr<std::unique_ptr<server::Listener>> StartMetricsListener(
    const std::string& address, const std::shared_ptr<server::Metrics>& metrics,
    server::ReadinessCheck not_ready);

}  // namespace berth::cli
