#pragma once

#include <array>
#include <chrono>
#include <string_view>

namespace berth::server {

/// A limit of ListenerLimits or Route that a client ran into.
enum class Limit {
  /// Another connection was cut, or the new one refused, because too many are open.
  kConnections,
  /// ListenerLimits::header_bytes; the client got 431.
  kHeaderBytes,
  /// ListenerLimits::header; the client got 408.
  kHeaderTime,
  /// Route::max_body, or a lower limit of the handler (HttpResponse::limit).
  kBodyBytes,
  /// ListenerLimits::body.
  kBodyTime,
  /// A body or a reply had to make way; see BodyBudget.
  kBodiesAtOnce,
  /// ListenerLimits::write; the connection was cut.
  kWriteTime,
  /// Counted only for connections on which no request has ever arrived. That others end when nobody
  /// needs them is normal.
  kIdleTime,
};

/// All values, for a counter for each.
inline constexpr std::array kAllLimits = {
    Limit::kConnections, Limit::kHeaderBytes,  Limit::kHeaderTime, Limit::kBodyBytes,
    Limit::kBodyTime,    Limit::kBodiesAtOnce, Limit::kWriteTime,  Limit::kIdleTime};

/// Why a TLS handshake failed.
enum class HandshakeFailure {
  /// It took longer than ListenerLimits::handshake.
  kTimeout,
  /// The client closed the connection, or a probe only looked whether the port is open.
  kClosed,
  /// The client does not speak TLS.
  kNotTls,
  /// There is no common version or cipher: the client is below TLS 1.2.
  kVersion,
  /// The client sent no certificate, or one that does not come from the client CA.
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

/// Returns "connections", "header_bytes", ...: the value of a metric's label.
std::string_view Name(Limit limit);
/// Returns "timeout", "not_tls", ...: the value of a metric's label.
std::string_view Name(HandshakeFailure cause);

/// Is notified of what happens on a listener. By default it does nothing. The methods are called on
/// the listener's threads, several at a time, so implementations must be thread-safe, must not
/// block and must not throw. A listener keeps its observer until it is destroyed.
class ListenerObserver {
 public:
  virtual ~ListenerObserver() = default;

  /// A connection was accepted, and will be served.
  virtual void OnConnectionOpened() {}

  /// A connection has ended. Called once for each that was opened.
  virtual void OnConnectionClosed() {}

  /// A TLS handshake failed. Not called for connections that were cut meanwhile.
  virtual void OnHandshakeFailed(HandshakeFailure /*cause*/) {}

  /// A client ran into a limit, or a handler said that it did (HttpResponse::limit).
  virtual void OnLimit(Limit /*limit*/) {}

  /// A reply was written, or could not be. `path` is the Route's, or empty if none matched.
  /// `elapsed` counts from the end of the request's header to the end of the reply.
  virtual void OnRequest(std::string_view /*path*/, int /*status*/,
                         std::chrono::nanoseconds /*elapsed*/) {}

  /// A handler threw, or a connection could not be accepted or served. May be called many times a
  /// second.
  virtual void OnError(std::string_view /*message*/) {}
};

}  // namespace berth::server
