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
#include "process/grpc_server.h"
#include "process/server.h"
#include "server/metrics.h"

namespace berth::process {

/// Everything that `berth extender` runs: the placer, which follows the cluster, the extender and
/// its listener for kube-scheduler, the gRPC service if it is configured, the listeners for metrics
/// and probes, and a follower of the configuration file.
///
/// Requests are answered on the threads of the listeners, changes of the configuration are applied
/// on a thread of the follower, and the threads of a feed write the snapshot. No request waits for
/// the API server.
class ExtenderServer final : public Server {
 public:
  /// See StartServer. Also returns an error if a certificate of the gRPC listener is broken. Does
  /// not wait for the API server: until nodes and pods have been listed, filter answers with an
  /// error and /readyz with 503.
  static absl::StatusOr<std::unique_ptr<Server>> Start(ConfigFollower::Options config,
                                                       kube::ApiConfig api);

  ExtenderServer(const ExtenderServer&) = delete;
  ExtenderServer& operator=(const ExtenderServer&) = delete;

  /// Stops following the file, ends the listeners for kube-scheduler and gRPC, while /readyz
  /// answers 503, and then the connections to the API server. Blocks for up to about thirteen
  /// seconds, and until the threads of the feed have ended.
  bool Drain() override;

 private:
  // Makes everything but the listeners and the follower, without connecting to anything.
  ExtenderServer(const config::BerthConfiguration& config, kube::ApiConfig api);

  // Starts the listeners.
  absl::Status Open(const config::BerthConfiguration& config);

  // Starts the gRPC service.
  absl::Status ServePlacement(const config::BerthConfiguration& config);
  // The reasons for which /readyz answers 503; empty if the server is ready.
  std::vector<std::string> NotReady() const;

  // In the order of dependency: members are destroyed in reverse, users first.
  std::shared_ptr<server::Metrics> metrics_;
  extender::DecisionLog decision_log_;
  extender::DecisionBroker decisions_;
  ConfiguredPlacer placer_;
  extender::Extender extender_;
  // Set by Drain(), read by the threads of the probes.
  std::atomic<bool> draining_ = false;
  Listeners listeners_;
  std::unique_ptr<GrpcServer> placement_;  // null if grpc.listen is empty
  std::unique_ptr<ConfigFollower> follower_;
};

}  // namespace berth::process
