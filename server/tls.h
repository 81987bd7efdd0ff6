#pragma once

#include <absl/status/statusor.h>

#include <chrono>
#include <memory>
#include <string>

#include "server/observer.h"

struct ssl_ctx_st;

namespace berth::server {

/// Names of the PEM files of a TLS server.
struct TlsFiles {
  /// The server's certificate, followed by intermediate certificates if there are any.
  std::string certificate;
  /// Its private key, not encrypted.
  std::string key;
  /// Certificates of the CAs from which the certificates of clients must come. Empty: clients are
  /// not asked for a certificate.
  std::string client_ca;
  /// Whether a client without a certificate is refused. Has no effect without client_ca.
  bool require_client_certificate = true;

  friend bool operator==(const TlsFiles&, const TlsFiles&) = default;
};

/// The contents of the files in TlsFiles, read together. It holds a private key: never log it.
struct TlsPem {
  std::string certificate;
  std::string key;
  std::string client_ca;

  friend bool operator==(const TlsPem&, const TlsPem&) = default;
};

/// A context from which connections can be made. A plain value; OpenSSL's context is constant, so
/// many threads may use it at the same time.
struct TlsContext {
  /// OpenSSL's SSL_CTX; never null in a context from BuildTlsContext().
  std::shared_ptr<ssl_ctx_st> handle;
  /// When the server's certificate expires.
  std::chrono::system_clock::time_point not_after;
};

/// Reads the files. Returns NOT_FOUND if one cannot be read, and INVALID_ARGUMENT if one is larger
/// than 4 MiB. Errors name the file.
absl::StatusOr<TlsPem> ReadTlsFiles(const TlsFiles& files);

/// Makes a context for TLS 1.2 or later with ALPN http/1.1, without session resumption and
/// renegotiation. TLS 1.2 uses only ciphers with ECDHE, and with AES-GCM or ChaCha20. `files` gives
/// the names for errors, and says whether clients need a certificate.
///
/// Returns INVALID_ARGUMENT if a text is not what it should be, if the key does not belong to the
/// certificate, or if the certificate is not valid now; INTERNAL if OpenSSL cannot be set up.
/// Errors name the file and never contain any of its text.
absl::StatusOr<TlsContext> BuildTlsContext(const TlsFiles& files, const TlsPem& pem);

/// Returns the cause of a failed handshake for an error code of OpenSSL. Timeouts have none; the
/// caller knows about them.
HandshakeFailure ClassifyHandshakeError(unsigned long code);

}  // namespace berth::server
