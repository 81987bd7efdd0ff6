#pragma once

#include <memory>

#include "server/tls_certificates.h"

namespace grpc {
class ServerCredentials;
}

namespace berth::server {

/// Returns credentials for a gRPC server that presents the certificate of `tls`, and accepts only
/// clients whose certificate comes from the client CA of `tls`. `tls` must have a client CA.
///
/// Each handshake uses the files that `tls` has read last, so renewed certificates take effect
/// without a restart; connections that are open keep theirs. The caller keeps the credentials until
/// the server is destroyed.
std::shared_ptr<grpc::ServerCredentials> MutualTls(std::shared_ptr<const TlsCertificates> tls);

}  // namespace berth::server
