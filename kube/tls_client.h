#pragma once

#include <boost/asio/ssl/context.hpp>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kube/api_config.h"

namespace berth::kube {

/// Returns a context for a client with TLS 1.2 or later, which verifies the server as `config`
/// says. Reads the files of `config` now, so it is called for each connection. Returns the error of
/// a file that cannot be read, or Unavailable with the name of the file that cannot be used.
absl::StatusOr<boost::asio::ssl::context> MakeTlsContext(const ApiConfig& config);

/// Sets the name that the server's certificate must be valid for, and the name that is sent to the
/// server (SNI; not for addresses). Does nothing if `config` skips verification.
void ExpectServer(const ApiConfig& config, SSL* connection);

/// Returns what is wrong with the certificate that the server presented: " (<reason>)", to append
/// to an error. Empty if the certificate was not the problem.
std::string CertificateTrouble(const ApiConfig& config, SSL* connection);

}  // namespace berth::kube
