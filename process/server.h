#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "kube/api_config.h"
#include "process/config_follower.h"
#include "server/start_listener.h"
#include "server/tls_certificates.h"

namespace berth::process {

/// What `berth extender`, `berth admission` and `berth controller` run. One thread makes, drains
/// and destroys it.
class Server {
 public:
  virtual ~Server() = default;

  /// Ends in good order: asks clients to go, answers what has arrived, gives up what others wait
  /// for. Blocks for some seconds at most. False where something had to be cut.
  virtual bool Drain() = 0;
};

/// Returns a server that serves already. INVALID_ARGUMENT where the configuration cannot be used,
/// UNAVAILABLE where an address cannot be listened on.
using StartServer =
    std::function<absl::StatusOr<std::unique_ptr<Server>>(ConfigFollower::Options config)>;

/// Sets the level of the log, starts a server, blocks until SIGTERM or SIGINT, and drains the
/// server. Returns the error of `start`, or OK after the signal. The process must not have a second
/// thread yet: it would take the signals.
absl::Status ServeUntilSignal(ConfigFollower::Options config, const StartServer& start);

/// Follows the file of the configuration, and hands every change to `apply` after the level of the
/// log, on a thread of its own. `metrics`, and what `apply` uses, must outlive what is returned.
std::unique_ptr<ConfigFollower> Follow(
    ConfigFollower::Options config, server::Metrics& metrics,
    std::function<void(const config::BerthConfiguration&)> apply);

/// Logs which API server is followed.
void LogApiServer(const kube::ApiConfig& api);

/// The listener of a server's own protocol.
struct Endpoint {
  /// In logs and metrics: "extender".
  std::string name;
  /// "host:port".
  std::string address;
  std::vector<server::Route> routes;
  /// Null for plain HTTP.
  std::shared_ptr<const server::TlsCertificates> certificates;
};

struct Listeners {
  server::PlainListeners plain;
  /// Null for a server without a protocol of its own, as the controller.
  std::unique_ptr<server::Listener> endpoint;
};

/// Opens what every server has, /metrics and the probes, and the endpoint if there is one, and adds
/// the metrics of the build and of the endpoint's certificates. `not_ready` is called on threads of
/// the listeners until they are destroyed. UNAVAILABLE where an address cannot be listened on.
absl::StatusOr<Listeners> Listen(const config::BerthConfiguration& config,
                                 std::optional<Endpoint> endpoint,
                                 const std::shared_ptr<server::Metrics>& metrics,
                                 const server::ReadinessCheck& not_ready);

}  // namespace berth::process
