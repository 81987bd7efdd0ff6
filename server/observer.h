#pragma once

#include <array>
#include <chrono>
#include <string_view>

namespace berth::server {

/// A limit of ListenerLimits or Route that a client ran into.
enum class Limit {
  kConnections,
  kHeaderBytes,
  kHeaderTime,
  kBodyBytes,
  kBodyTime,
  kBodiesAtOnce,
  kWriteTime,
  /// Of a connection that was never used; that others end when nobody needs them is no news.
  kIdleTime,
};

inline constexpr std::array kAllLimits = {
    Limit::kConnections, Limit::kHeaderBytes,  Limit::kHeaderTime, Limit::kBodyBytes,
    Limit::kBodyTime,    Limit::kBodiesAtOnce, Limit::kWriteTime,  Limit::kIdleTime};

enum class HandshakeFailure {
  kTimeout,
  /// The client closed the connection, or a probe only looked whether the port is open.
  kClosed,
  /// The client does not speak TLS.
  kNotTls,
  /// No common version or cipher: a client below TLS 1.2.
  kVersion,
  /// None was sent, or it is not one of the client CA's.
  kClientCertificate,
  /// The client refused our certificate.
  kServerCertificate,
  kOther,
};

inline constexpr std::array kAllHandshakeFailures = {HandshakeFailure::kTimeout,
                                                     HandshakeFailure::kClosed,
                                                     HandshakeFailure::kNotTls,
                                                     HandshakeFailure::kVersion,
                                                     HandshakeFailure::kClientCertificate,
                                                     HandshakeFailure::kServerCertificate,
                                                     HandshakeFailure::kOther};

/// "connections", "header_bytes", ...: for labels of metrics.
std::string_view Name(Limit limit);
/// "timeout", "not_tls", ...: for labels of metrics.
std::string_view Name(HandshakeFailure cause);

/// What a listener tells about itself. Called on the listener's threads, several at a time:
/// implementations are thread-safe, do not block and do not throw.
class ListenerObserver {
 public:
  virtual ~ListenerObserver() = default;

  virtual void OnConnectionOpened() {}
  virtual void OnConnectionClosed() {}
  virtual void OnHandshakeFailed(HandshakeFailure /*cause*/) {}
  virtual void OnLimit(Limit /*limit*/) {}
  /// `path` is the Route's, or empty where none matched. `elapsed` counts from the end of the
  /// request's header to the end of the reply.
  virtual void OnRequest(std::string_view /*path*/, int /*status*/,
                         std::chrono::nanoseconds /*elapsed*/) {}
  /// A handler threw, or accept failed. May be repeated many times a second.
  virtual void OnError(std::string_view /*message*/) {}
};

}  // namespace berth::server
