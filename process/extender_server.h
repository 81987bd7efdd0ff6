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
#include "process/server.h"
#include "server/metrics.h"

namespace berth::process {

/// What `berth extender` runs: what follows the cluster and the configuration and answers
/// kube-scheduler, its listeners, and the gRPC service.
class ExtenderServer final : public Server {
 public:
  /// See StartServer. Until nodes and pods have been listed, filter answers with an error and
  /// /readyz with 503.
  static absl::StatusOr<std::unique_ptr<Server>> Start(ConfigFollower::Options config,
                                                       kube::ApiConfig api);

  ExtenderServer(const ExtenderServer&) = delete;
  ExtenderServer& operator=(const ExtenderServer&) = delete;

  bool Drain() override;

 private:
  // Makes everything but the listeners and the follower, without connecting to anything.
  ExtenderServer(const config::BerthConfiguration& config, kube::ApiConfig api);

  absl::Status Open(const config::BerthConfiguration& config);
  absl::Status ServePlacement(const config::GrpcConfig& config);
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
  std::unique_ptr<PlacementServer> placement_;  // null where grpc.listen is empty
  std::unique_ptr<ConfigFollower> follower_;
};

}  // namespace berth::process
