#pragma once

#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"

struct evp_pkey_st;

namespace berth::certs {

/// The text of a private key. It can be compared, but not printed or logged: code that needs the
/// text must call Reveal(). A value type.
class KeyPem {
 public:
  /// Empty: there is no key.
  KeyPem() = default;
  /// Takes a text, which is not checked; PrivateKey::Parse() does that.
  explicit KeyPem(std::string text) : text_(std::move(text)) {}

  /// Whether there is no text.
  bool empty() const { return text_.empty(); }

  /// The text. Only for parsing it and for the Secret that stores it.
  const std::string& Reveal() const { return text_; }

  friend bool operator==(const KeyPem&, const KeyPem&) = default;

 private:
  std::string text_;
};

/// A private key. Copies share it. Immutable, so thread-safe.
class PrivateKey {
 public:
  /// Makes a new key on the curve P-256 with OpenSSL's random generator. Returns InvalidArgument
  /// with OpenSSL's reason if that fails.
  static absl::StatusOr<PrivateKey> Generate();

  /// Reads a key in PEM without a pass phrase, of any type that OpenSSL knows. Returns
  /// InvalidArgument otherwise; the error contains nothing of the text.
  static absl::StatusOr<PrivateKey> Parse(const KeyPem& pem);

  /// The key in PEM (PKCS #8).
  KeyPem Pem() const;

  /// For calls to OpenSSL in sources of this folder. Remains owned by this object.
  evp_pkey_st* handle() const { return key_.get(); }

 private:
  /// Takes ownership of `key`.
  explicit PrivateKey(evp_pkey_st* key);

  std::shared_ptr<evp_pkey_st> key_;
};

}  // namespace berth::certs
