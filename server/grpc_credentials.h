#pragma once

#include <memory>

#include "server/tls_certificates.h"

namespace grpc {
class ServerCredentials;
}

namespace berth::server {

/// Credentials of a gRPC server that shows `tls`' certificate and takes only clients that show one
/// of its client CA's. Each handshake uses the files as TlsCertificates has them then. Must outlive
/// the server.
std::shared_ptr<grpc::ServerCredentials> MutualTls(std::shared_ptr<const TlsCertificates> tls);

}  // namespace berth::server
