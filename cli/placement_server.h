#pragma once

#include <absl/status/statusor.h>

#include <memory>
#include <utility>

#include "cli/config.h"
#include "extender/placement_service.h"
#include "server/grpc_listener.h"
#include "server/health.h"
#include "server/metrics.h"

namespace berth::cli {

/// The gRPC side of `berth extender`. Start, Drain and the destructor are called by one thread.
class PlacementServer final {
 public:
  /// Serves when it returns. `config` is valid and its `listen` not empty; `metrics` must outlive
  /// this. Fails where a file of the certificate is broken, or the address taken.
  static absl::StatusOr<std::unique_ptr<PlacementServer>> Start(const GrpcConfig& config,
                                                                extender::PlacementOptions options,
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

}  // namespace berth::cli
