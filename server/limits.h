#pragma once

#include <chrono>
#include <cstddef>

namespace berth::server {

/// Half of the 1,024 file descriptors that a process commonly may open.
inline constexpr std::size_t kMaxConnections = 512;
inline constexpr std::size_t kMaxHeaderBytes = 16 * 1024;
/// An eighth of what the chart's containers may have: besides it they need room for as many
/// connections as there may be, and for what becomes of a request that is worked on.
inline constexpr std::size_t kMaxBodiesBytes = 64 * 1024 * 1024;
inline constexpr std::chrono::seconds kMaxHandshakeTime{10};
inline constexpr std::chrono::seconds kMaxHeaderTime{10};
inline constexpr std::chrono::seconds kMaxBodyTime{30};
inline constexpr std::chrono::seconds kMaxWriteTime{30};
inline constexpr std::chrono::seconds kMaxCloseTime{1};
/// kube-scheduler keeps idle connections for 90 s and does not replay a POST whose connection the
/// server closed (net/http's Transport; k8s.io/kubernetes v1.37.0, pkg/scheduler/extender.go).
inline constexpr std::chrono::seconds kMaxIdleTime{120};
/// What a client whose request was refused may still send before it sees a reset instead of the
/// answer.
inline constexpr std::size_t kMaxLingerBytes = 64 * 1024 * 1024;
/// Pause after accept failed for want of file descriptors or memory.
inline constexpr std::chrono::milliseconds kAcceptBackoff{100};

/// Limits of one listener, per connection unless said otherwise. Bytes of body are a Route's.
struct ListenerLimits {
  /// Connections at once; for further ones others are cut, in the order of Connections. Raise it
  /// together with the limit of file descriptors.
  std::size_t connections = kMaxConnections;
  /// Request line and header fields together. Beyond: 431.
  std::size_t header_bytes = kMaxHeaderBytes;
  /// Bytes of bodies and replies over all connections, as they are read and until they are taken;
  /// see BodyBudget. Who has to make way gets the route's `reject`, or is cut where it was reading
  /// a reply.
  std::size_t bodies_bytes = kMaxBodiesBytes;
  /// From accept to the end of the TLS handshake.
  std::chrono::milliseconds handshake = kMaxHandshakeTime;
  /// From the first byte of a request to the end of its header. Beyond: 408.
  std::chrono::milliseconds header = kMaxHeaderTime;
  /// From the end of the header to the end of the body. Beyond: the route's `reject`.
  std::chrono::milliseconds body = kMaxBodyTime;
  /// For the whole reply. Beyond: the connection is cut.
  std::chrono::milliseconds write = kMaxWriteTime;
  /// For TLS's close_notify and what the client was still sending.
  std::chrono::milliseconds close = kMaxCloseTime;
  /// Before the first byte of a request; the first one on a connection, too, because Go's client
  /// keeps connections that it dialled and did not need.
  std::chrono::milliseconds idle = kMaxIdleTime;
};

}  // namespace berth::server
