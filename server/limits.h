#pragma once

#include <chrono>
#include <cstddef>

namespace berth::server {

/// Half of the 1,024 file descriptors that a process may commonly open.
inline constexpr std::size_t kMaxConnections = 512;
inline constexpr std::size_t kMaxHeaderBytes = 16 * 1024;
/// An eighth of the memory that the chart's containers may have. The rest is for the connections
/// themselves, and for what becomes of a request while it is worked on.
inline constexpr std::size_t kMaxBodiesBytes = 64 * 1024 * 1024;
inline constexpr std::chrono::seconds kMaxHandshakeTime{10};
inline constexpr std::chrono::seconds kMaxHeaderTime{10};
inline constexpr std::chrono::seconds kMaxBodyTime{30};
inline constexpr std::chrono::seconds kMaxWriteTime{30};
inline constexpr std::chrono::seconds kMaxCloseTime{1};
/// kube-scheduler keeps idle connections for 90 s and does not replay a POST whose connection the
/// server closed (net/http's Transport; k8s.io/kubernetes v1.37.0, pkg/scheduler/extender.go). So
/// the server must wait longer than that.
inline constexpr std::chrono::seconds kMaxIdleTime{120};
/// How many bytes a client may still send after its request was refused. Beyond, it may see a reset
/// instead of the answer.
inline constexpr std::size_t kMaxLingerBytes = 64 * 1024 * 1024;
/// Pause after accept failed because there are no file descriptors or there is no memory.
inline constexpr std::chrono::milliseconds kAcceptBackoff{100};

/// Limits of one listener. They hold for each connection, unless said otherwise. How long a body
/// may be is set for each Route. A plain value.
struct ListenerLimits {
  /// Open connections. A further one is accepted, and another is cut for it, in the order of
  /// Connections. If you raise this, raise the limit of file descriptors, too.
  std::size_t connections = kMaxConnections;
  /// Bytes of the request line and the header fields together. Beyond: 431.
  std::size_t header_bytes = kMaxHeaderBytes;
  /// Bytes of bodies and replies over all connections, from when they are read until the client has
  /// taken them; see BodyBudget. A request that must make way gets the route's `reject`; a
  /// connection whose client was reading a reply is cut.
  std::size_t bodies_bytes = kMaxBodiesBytes;
  /// From accept to the end of the TLS handshake. Beyond: the connection is closed.
  std::chrono::milliseconds handshake = kMaxHandshakeTime;
  /// From the first byte of a request to the end of its header. Beyond: 408.
  std::chrono::milliseconds header = kMaxHeaderTime;
  /// From the end of the header to the end of the body. Beyond: the route's `reject`, or 408.
  std::chrono::milliseconds body = kMaxBodyTime;
  /// For the whole reply. Beyond: the connection is cut.
  std::chrono::milliseconds write = kMaxWriteTime;
  /// For TLS's close_notify, and for what the client still sends after the last reply.
  std::chrono::milliseconds close = kMaxCloseTime;
  /// Before the first byte of a request, of the first request on a connection, too, because Go's
  /// client keeps connections that it dialled and did not need. Beyond: the connection is closed.
  std::chrono::milliseconds idle = kMaxIdleTime;
};

}  // namespace berth::server
