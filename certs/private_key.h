#pragma once

#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"

struct evp_pkey_st;

namespace berth::certs {

/// The text of a private key. It can be compared, but neither printed nor logged: whoever needs the
/// text has to say so.
class KeyPem {
 public:
  KeyPem() = default;
  explicit KeyPem(std::string text) : text_(std::move(text)) {}

  bool empty() const { return text_.empty(); }

  /// For the Secret that it is kept in, and for nothing else.
  const std::string& Reveal() const { return text_; }

  friend bool operator==(const KeyPem&, const KeyPem&) = default;

 private:
  std::string text_;
};

/// A private key. Copies are the same key. Thread-safe, as it never changes.
class PrivateKey {
 public:
  /// A new one on the curve P-256, from the generator of OpenSSL.
  static absl::StatusOr<PrivateKey> Generate();

  /// One in PEM without a pass phrase, of any kind that OpenSSL knows. InvalidArgument otherwise,
  /// with nothing of the text in it.
  static absl::StatusOr<PrivateKey> Parse(const KeyPem& pem);

  /// PKCS #8.
  KeyPem Pem() const;

  evp_pkey_st* handle() const { return key_.get(); }

 private:
  explicit PrivateKey(evp_pkey_st* key);

  std::shared_ptr<evp_pkey_st> key_;
};

}  // namespace berth::certs
