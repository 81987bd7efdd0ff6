#pragma once

#include <absl/status/statusor.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "config/config.h"
#include "server/grpc_listener.h"
#include "server/health.h"
#include "server/metrics.h"

namespace berth::process {

/// What a GrpcServer serves.
struct GrpcService {
  std::shared_ptr<grpc::Service> service;
  /// Its full name, as health checks ask for it.
  std::string name;
  /// Ends the streams of clients that watch. Must be callable until the server is drained.
  std::function<void()> end_streams;
};

/// The gRPC listener of a process, as the block `grpc` of the configuration says: one service of
/// Berth's, health checks and reflection. One thread calls Start, Drain and the destructor. gRPC's
/// own threads answer the calls.
class GrpcServer final {
 public:
  /// Starts the listener and returns a server that answers. `config` must be valid, with an address
  /// in `listen`. `not_ready` answers gRPC's health checks. `metrics` must outlive the server.
  /// Returns an error if a file of the certificate is broken, or if it cannot listen on the
  /// address.
  static absl::StatusOr<std::unique_ptr<GrpcServer>> Start(const config::GrpcConfig& config,
                                                           GrpcService service,
                                                           server::ReadinessCheck not_ready,
                                                           server::Metrics& metrics);

  /// Ends the streams and gives calls two seconds to end. Returns false if some had to be cut off.
  bool Drain();

 private:
  GrpcServer(std::function<void()> end_streams, std::unique_ptr<server::GrpcListener> listener)
      : end_streams_(std::move(end_streams)), listener_(std::move(listener)) {}

  const std::function<void()> end_streams_;
  const std::unique_ptr<server::GrpcListener> listener_;
};

}  // namespace berth::process
