#pragma once

#include <boost/asio/ssl/context.hpp>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kube/api_config.h"

namespace berth::kube {

/// TLS 1.2 or later, as a client that verifies the server as `config` says. Files are read now; the
/// error names the one that cannot be used.
absl::StatusOr<boost::asio::ssl::context> MakeTlsContext(const ApiConfig& config);

/// Sets which name the certificate is held against, and which one the server is told (SNI).
void ExpectServer(const ApiConfig& config, SSL* connection);

/// What is wrong with the certificate that the server showed, in brackets and after a blank; empty
/// where it was not the certificate.
std::string CertificateTrouble(const ApiConfig& config, SSL* connection);

}  // namespace berth::kube
