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

/// What a GrpcListener serves, and where.
struct GrpcListenerOptions {
  /// In the form that ParseAddress() reads. Port 0: the system chooses one.
  std::string address = "127.0.0.1:0";
  /// Must have a client CA, because gRPC is served with mutual TLS. Null: plain gRPC, which is
  /// allowed on loopback addresses only.
  std::shared_ptr<const TlsCertificates> tls;
  /// The listener keeps them until it is destroyed.
  std::vector<std::shared_ptr<grpc::Service>> services;
  /// Full names of the services, for which health checks are answered.
  std::vector<std::string> names;
  /// Decides the answer to health checks. Called on the listener's own thread, and once by Start().
  /// Empty: always ready.
  ReadinessCheck not_ready;
  /// Time between two calls of `not_ready`.
  std::chrono::milliseconds readiness_interval{250};
  /// Largest request in bytes. A larger one gets RESOURCE_EXHAUSTED.
  int max_request_bytes = 4 * 1024 * 1024;
};

/// Serves gRPC: the given services, grpc.health.v1.Health and reflection. Health checks for the
/// empty name and for the name of each service get SERVING while `not_ready` returns nothing, else
/// NOT_SERVING.
///
/// Calls are answered on gRPC's own threads, 32 at most, and one more thread follows the readiness.
/// Each connection may have 32 streams. What gRPC logs as an error becomes a log line of Berth, one
/// in 10 s at most. Call Start(), Drain() and the destructor on one thread; port() may be called on
/// any.
class GrpcListener {
 public:
  /// Returns a listener that serves already. Errors:
  /// - INVALID_ARGUMENT if ParseAddress() rejects the address, or if other machines can reach it
  ///   and there is no `tls`;
  /// - UNAVAILABLE if it cannot be listened on, mostly because another process has the port.
  static absl::StatusOr<std::unique_ptr<GrpcListener>> Start(GrpcListenerOptions options);

  /// Cuts the calls that are still open. Call Drain() before for an orderly end.
  ~GrpcListener();
  GrpcListener(const GrpcListener&) = delete;
  GrpcListener& operator=(const GrpcListener&) = delete;

  /// Returns the port that is listened on, also if the options said 0.
  std::uint16_t port() const { return static_cast<std::uint16_t>(port_); }

  /// Ends the listener: health checks get NOT_SERVING, no new call is accepted, and open calls may
  /// end within `time`. Blocks until they have, for `time` at most. End streams before this call,
  /// because they do not end by themselves.
  ///
  /// Returns true if all calls ended by themselves, false if some were cut. Has no effect the
  /// second time.
  bool Drain(std::chrono::milliseconds time);

 private:
  // Takes over the options; nothing is listened on yet.
  explicit GrpcListener(GrpcListenerOptions options);

  // Builds and starts the server, and the thread that follows the readiness.
  absl::Status Listen(const std::string& address);
  // Asks `not_ready` and tells gRPC's health service.
  void PublishHealth();
  // What the thread readiness_ runs: PublishHealth() at each interval.
  void FollowReadiness();
  // Ends that thread, and waits for it.
  void StopFollowing();

  const GrpcListenerOptions options_;
  // MutualTls(), or none for plain gRPC.
  std::shared_ptr<grpc::ServerCredentials> credentials_;
  std::unique_ptr<grpc::Server> server_;  // null after Drain()
  int port_ = 0;
  // How StopFollowing() ends readiness_; mutex_ guards stopping_.
  std::mutex mutex_;
  std::condition_variable stop_;
  bool stopping_ = false;  // guarded by mutex_
  // Runs FollowReadiness().
  std::thread readiness_;
};

}  // namespace berth::server
