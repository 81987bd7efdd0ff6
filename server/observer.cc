#include "server/observer.h"

namespace berth::server {

std::string_view Name(Limit limit) {
  switch (limit) {
    case Limit::kConnections:
      return "connections";
    case Limit::kHeaderBytes:
      return "header_bytes";
    case Limit::kHeaderTime:
      return "header_time";
    case Limit::kBodyBytes:
      return "body_bytes";
    case Limit::kBodyTime:
      return "body_time";
    case Limit::kBodiesAtOnce:
      return "bodies_at_once";
    case Limit::kWriteTime:
      return "write_time";
    case Limit::kIdleTime:
      return "idle_time";
  }
  return "unknown";
}

std::string_view Name(HandshakeFailure cause) {
  switch (cause) {
    case HandshakeFailure::kTimeout:
      return "timeout";
    case HandshakeFailure::kClosed:
      return "closed";
    case HandshakeFailure::kNotTls:
      return "not_tls";
    case HandshakeFailure::kVersion:
      return "version";
    case HandshakeFailure::kClientCertificate:
      return "client_certificate";
    case HandshakeFailure::kServerCertificate:
      return "server_certificate";
    case HandshakeFailure::kOther:
      return "other";
  }
  return "unknown";
}

}  // namespace berth::server
