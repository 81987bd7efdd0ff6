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

// What the servers have in common: how a process starts one, waits for a signal and drains it, and
// how a server opens its listeners and follows its configuration.

namespace berth::process {

/// What `berth extender`, `berth admission` and `berth controller` run. Made by a StartServer
/// function, with all of its threads running. The thread that makes it also drains and destroys it.
/// Destroying it without Drain() cuts off what is still open.
class Server {
 public:
  virtual ~Server() = default;

  /// Ends in good order: asks clients to leave, answers what has arrived, gives up what others wait
  /// for. Blocks for some seconds; each server says for how many. Returns false if something had to
  /// be cut off. Call it once, at the end.
  virtual bool Drain() = 0;
};

/// Returns a server that serves already, with the configuration that `config` contains. Returns
/// INVALID_ARGUMENT if the configuration cannot be used, and UNAVAILABLE if the server cannot
/// listen on an address.
using StartServer =
    std::function<absl::StatusOr<std::unique_ptr<Server>>(ConfigFollower::Options config)>;

/// Runs a server: sets the level of the log, calls `start`, blocks until SIGTERM or SIGINT, and
/// drains the server. Returns the error of `start`, or OK after the signal, whatever Drain() said;
/// the log has that. The process must have no second thread yet, which would take the signals.
absl::Status ServeUntilSignal(ConfigFollower::Options config, const StartServer& start);

/// Follows the configuration file. Sets the level of the log and then calls `apply` for every
/// changed, valid configuration, on a thread of the follower. `metrics`, and what `apply` uses,
/// must outlive the follower.
std::unique_ptr<ConfigFollower> Follow(
    ConfigFollower::Options config, server::Metrics& metrics,
    std::function<void(const config::BerthConfiguration&)> apply);

/// Logs the address of the API server that the process follows.
void LogApiServer(const kube::ApiConfig& api);

/// The listener for a server's own protocol.
struct Endpoint {
  /// Its name in logs and metrics: "extender".
  std::string name;
  /// "host:port" or ":port".
  std::string address;
  /// They must outlive the listener.
  std::vector<server::Route> routes;
  /// Null for plain HTTP.
  std::shared_ptr<const server::TlsCertificates> certificates;
};

/// The listeners of one server.
struct Listeners {
  /// For metrics and probes.
  server::PlainListeners plain;
  /// Null for a server without a protocol of its own, such as the controller.
  std::unique_ptr<server::Listener> endpoint;
};

/// Opens the listeners for metrics and probes, which every server has, and the endpoint if there is
/// one. Also registers the metrics of the build and of the endpoint's certificates. `not_ready`
/// answers /readyz, on threads of the listeners, until they are destroyed. Returns UNAVAILABLE if
/// it cannot listen on an address.
absl::StatusOr<Listeners> Listen(const config::BerthConfiguration& config,
                                 std::optional<Endpoint> endpoint,
                                 const std::shared_ptr<server::Metrics>& metrics,
                                 const server::ReadinessCheck& not_ready);

}  // namespace berth::process
