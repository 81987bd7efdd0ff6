#pragma once

#include <absl/status/statusor.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "config/config.h"
#include "extender/decision_broker.h"
#include "extender/decision_log.h"
#include "extender/extender.h"
#include "kube/api_config.h"
#include "process/config_follower.h"
#include "process/configured_placer.h"
#include "process/placement_server.h"
#include "server/listener.h"
#include "server/metrics.h"
#include "server/start_listener.h"
#include "server/tls_certificates.h"

namespace berth::process {

/// What `berth extender` runs: what answers and follows the cluster and the configuration, the
/// listener for kube-scheduler and the one for /metrics, /healthz and /readyz. Start and Drain are
/// called by one thread, which has made server::ShutdownSignals before.
class ExtenderServer {
 public:
  /// Serves when it returns, ready or not: until the API server has been listed, filter answers
  /// with an error and /readyz with 503. `certificates` is null for plain HTTP. UNAVAILABLE when an
  /// address cannot be listened on.
  static absl::StatusOr<std::unique_ptr<ExtenderServer>> Start(
      ConfigFollower::Options config, kube::ApiConfig api,
      std::shared_ptr<const server::TlsCertificates> certificates);

  ExtenderServer(const ExtenderServer&) = delete;
  ExtenderServer& operator=(const ExtenderServer&) = delete;

  /// An orderly end: asks clients to go, answers what has arrived, closes. Blocks for some seconds
  /// at most; false where something had to be cut.
  bool Drain();

 private:
  ExtenderServer(const config::BerthConfiguration& config, kube::ApiConfig api);

  void AddMetrics();
  absl::Status Listen(const config::BerthConfiguration& config,
                      std::shared_ptr<const server::TlsCertificates> certificates);
  absl::Status ServePlacement(const config::GrpcConfig& config);
  std::vector<std::string> NotReady() const;

  // In the order of who uses whom: later ones are gone first.
  std::shared_ptr<server::Metrics> metrics_;
  extender::DecisionLog decision_log_;
  extender::DecisionBroker decisions_;
  ConfiguredPlacer placer_;
  extender::Extender extender_;
  std::atomic<bool> draining_ = false;
  server::PlainListeners plain_listeners_;
  std::unique_ptr<server::Listener> extender_listener_;
  std::unique_ptr<PlacementServer> placement_;  // null where grpc.listen is empty
  std::unique_ptr<ConfigFollower> follower_;
};

}  // namespace berth::process
