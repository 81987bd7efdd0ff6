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

/// The gRPC listener of `berth extender` with the service berth.v1.Placement, health checks and
/// reflection. One thread calls Start, Drain and the destructor. gRPC's own threads answer the
/// calls from the snapshot in memory.
class PlacementServer final {
 public:
  /// Starts the listener and returns a server that answers. `config` must be valid, with an address
  /// in `listen`. `not_ready` answers gRPC's health checks. `metrics` must outlive the server.
  /// Returns an error if a file of the certificate is broken, or if it cannot listen on the
  /// address.
  static absl::StatusOr<std::unique_ptr<PlacementServer>> Start(const config::GrpcConfig& config,
                                                                placement::PlacementOptions options,
                                                                server::ReadinessCheck not_ready,
                                                                server::Metrics& metrics);

  /// Ends the streams and gives calls two seconds to end. Returns false if some had to be cut off.
  bool Drain();

 private:
  PlacementServer(extender::DecisionBroker& decisions,
                  std::unique_ptr<server::GrpcListener> listener)
      : decisions_(decisions), listener_(std::move(listener)) {}

  // Closed by Drain(), which ends the streams of clients that watch.
  extender::DecisionBroker& decisions_;
  const std::unique_ptr<server::GrpcListener> listener_;
};

}  // namespace berth::process
