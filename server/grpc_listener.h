#pragma once

#include <absl/status/statusor.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "server/health.h"
#include "server/tls_certificates.h"

namespace grpc {
class Server;
class ServerCredentials;
class Service;
}  // namespace grpc

namespace berth::server {

struct GrpcListenerOptions {
  /// As ParseAddress reads it.
  std::string address = "127.0.0.1:0";
  /// With a client CA. Null: plain, on a loopback address only.
  std::shared_ptr<const TlsCertificates> tls;
  std::vector<std::shared_ptr<grpc::Service>> services;
  /// Full names of the services, for health checks.
  std::vector<std::string> names;
  /// What health checks are answered from.
  ReadinessCheck not_ready;
  /// How often it is asked.
  std::chrono::milliseconds readiness_interval{250};
  /// Bytes of one request. Beyond: RESOURCE_EXHAUSTED.
  int max_request_bytes = 4 * 1024 * 1024;
};

/// Serves gRPC: the services given, grpc.health.v1.Health and reflection. Health is SERVING while
/// nothing is not ready, for the empty name and for each service's. Start, Drain and the destructor
/// are called by one thread; port() by any.
class GrpcListener {
 public:
  /// Serves when it returns. INVALID_ARGUMENT for an address that makes no sense, or one that other
  /// machines reach without TLS and a client CA; UNAVAILABLE when it cannot be listened on.
  static absl::StatusOr<std::unique_ptr<GrpcListener>> Start(GrpcListenerOptions options);

  /// Cuts what is still open.
  ~GrpcListener();
  GrpcListener(const GrpcListener&) = delete;
  GrpcListener& operator=(const GrpcListener&) = delete;

  /// The port listened on, also where the options said 0.
  std::uint16_t port() const { return static_cast<std::uint16_t>(port_); }

  /// Health turns to NOT_SERVING, nothing new is taken, and calls may end for `time` at most; end
  /// streams before. Whether all ended by themselves; if not, the rest was cut.
  bool Drain(std::chrono::milliseconds time);

 private:
  explicit GrpcListener(GrpcListenerOptions options);

  absl::Status Listen(const std::string& address);
  void PublishHealth();
  void FollowReadiness();
  void StopFollowing();

  const GrpcListenerOptions options_;
  std::shared_ptr<grpc::ServerCredentials> credentials_;
  std::unique_ptr<grpc::Server> server_;
  int port_ = 0;
  std::mutex mutex_;
  std::condition_variable stop_;
  bool stopping_ = false;
  std::thread readiness_;
};

}  // namespace berth::server
