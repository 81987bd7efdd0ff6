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

using Time = std::chrono::sys_seconds;

/// The side of a connection that a certificate is for: its extended key usage. TLS refuses it on
/// the other side, so that a server's key is of no use to who wants to pass for a client.
enum class Usage { kServer, kClient };

/// An X.509 certificate. Copies are the same one. Thread-safe, as it never changes.
class Certificate {
 public:
  /// Takes over what OpenSSL made; not null.
  explicit Certificate(x509_st* x509);

  /// In PEM, without a text in front of it.
  std::string Pem() const;

  Time not_before() const;
  /// The end of its validity; OpenSSL takes that very second as too late.
  Time not_after() const;

  /// Common names; empty where there is none.
  std::string subject() const;
  std::string issuer() const;

  Names names() const;

  /// May sign certificates.
  bool IsAuthority() const;

  /// Whether `issuer` is whom it names as issuer and has signed it.
  bool IsSignedBy(const Certificate& issuer) const;

  bool Fits(const PrivateKey& key) const;

  bool IsFor(Usage usage) const;

  x509_st* handle() const { return x509_.get(); }

  /// Byte for byte.
  friend bool operator==(const Certificate& a, const Certificate& b);

 private:
  std::shared_ptr<x509_st> x509_;
};

/// All certificates of a PEM text, in their order. InvalidArgument where there is none, or a broken
/// one; nothing of the text is in the error.
absl::StatusOr<std::vector<Certificate>> ParseCertificates(std::string_view pem);

std::string ToPem(std::span<const Certificate> certificates);

}  // namespace berth::certs
