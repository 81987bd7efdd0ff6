#pragma once

#include <absl/status/statusor.h>

#include <chrono>
#include <memory>
#include <string>

#include "server/observer.h"

struct ssl_ctx_st;

namespace berth::server {

/// PEM files of a TLS server.
struct TlsFiles {
  /// The server's certificate, followed by intermediate ones if any.
  std::string certificate;
  /// Its private key, not encrypted.
  std::string key;
  /// Certificates of the CAs that clients' certificates must come from. Empty: clients are not
  /// asked for one.
  std::string client_ca;
  /// With client_ca: whether a client without a certificate is refused.
  bool require_client_certificate = true;

  friend bool operator==(const TlsFiles&, const TlsFiles&) = default;
};

/// The texts of TlsFiles, read together.
struct TlsPem {
  std::string certificate;
  std::string key;
  std::string client_ca;

  friend bool operator==(const TlsPem&, const TlsPem&) = default;
};

/// A context that connections can be made from. A plain value; the context is constant and may be
/// used by many threads.
struct TlsContext {
  std::shared_ptr<ssl_ctx_st> handle;
  /// End of validity of the server's certificate.
  std::chrono::system_clock::time_point not_after;
};

/// Errors name the file.
absl::StatusOr<TlsPem> ReadTlsFiles(const TlsFiles& files);

/// A context for TLS >= 1.2 with ALPN http/1.1, without resumption of sessions. Checks that the key
/// belongs to the certificate and that the certificate is valid now. Errors name the file and never
/// hold any of its text.
absl::StatusOr<TlsContext> BuildTlsContext(const TlsFiles& files, const TlsPem& pem);

/// The cause that an error code of OpenSSL's stands for, of a handshake that failed in time.
HandshakeFailure ClassifyHandshakeError(unsigned long code);

}  // namespace berth::server
