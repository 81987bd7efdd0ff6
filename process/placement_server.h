#pragma once

#include <absl/status/statusor.h>

#include <memory>
#include <utility>

#include "config/config.h"
#include "placement/placement_service.h"
#include "server/grpc_listener.h"
#include "server/health.h"
#include "server/metrics.h"

namespace berth::process {

/// The gRPC side of `berth extender`. Start, Drain and the destructor are called by one thread.
class PlacementServer final {
 public:
  /// Serves when it returns. `config` is valid and its `listen` not empty; `metrics` must outlive
  /// this. Fails where a file of the certificate is broken, or the address taken.
  static absl::StatusOr<std::unique_ptr<PlacementServer>> Start(const config::GrpcConfig& config,
                                                                placement::PlacementOptions options,
                                                                server::ReadinessCheck not_ready,
                                                                server::Metrics& metrics);

  /// Ends the streams, and lets calls end for some seconds at most; false where something was cut.
  bool Drain();

 private:
  PlacementServer(extender::DecisionBroker& decisions,
                  std::unique_ptr<server::GrpcListener> listener)
      : decisions_(decisions), listener_(std::move(listener)) {}

  extender::DecisionBroker& decisions_;
  const std::unique_ptr<server::GrpcListener> listener_;
};

}  // namespace berth::process
