#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "certs/names.h"
#include "certs/private_key.h"

struct x509_st;

namespace berth::certs {

/// Seconds in UTC, the resolution of certificates.
using Time = std::chrono::sys_seconds;

/// The side of a connection that a certificate is for: its extended key usage. TLS rejects it on
/// the other side, so a server's key is useless to somebody who wants to pose as a client.
enum class Usage { kServer, kClient };

/// An X.509 certificate. Copies share it. Immutable, so thread-safe.
class Certificate {
 public:
  /// Takes ownership of `x509`, which must not be null.
  explicit Certificate(x509_st* x509);

  /// The certificate in PEM, without text before it.
  std::string Pem() const;

  /// The beginning of its validity.
  Time not_before() const;
  /// The end of its validity. OpenSSL already rejects it in this very second.
  Time not_after() const;

  /// The common name of the subject or the issuer. Empty if there is none.
  std::string subject() const;
  std::string issuer() const;

  /// Its subject alternative names.
  Names names() const;

  /// Whether it may sign certificates.
  bool IsAuthority() const;

  /// Whether it names `issuer` as its issuer, and `issuer` has signed it. Validity does not matter.
  bool IsSignedBy(const Certificate& issuer) const;

  /// Whether it contains the public half of `key`.
  bool Fits(const PrivateKey& key) const;

  /// Whether TLS accepts it for that side of a connection.
  bool IsFor(Usage usage) const;

  /// For calls to OpenSSL in sources of this folder. Remains owned by this object, and must not be
  /// changed.
  x509_st* handle() const { return x509_.get(); }

  /// Compares byte for byte.
  friend bool operator==(const Certificate& a, const Certificate& b);

 private:
  /// Shared by all copies, and never changed.
  std::shared_ptr<x509_st> x509_;
};

/// Returns all certificates of a PEM text in their order, at least one. Returns InvalidArgument if
/// there is none, or a broken one; the error contains nothing of the text.
absl::StatusOr<std::vector<Certificate>> ParseCertificates(std::string_view pem);

/// Returns the certificates in PEM, one after the other.
std::string ToPem(std::span<const Certificate> certificates);

}  // namespace berth::certs
