#pragma once

#include <string>

#include "certs/private_key.h"

namespace berth::certs {

/// The contents of a Secret of type kubernetes.io/tls, decoded from base64. Everything is in PEM,
/// and empty if it is absent. A plain value.
struct SecretData {
  /// tls.crt: the certificate, followed by those that lead from it to a trusted one.
  std::string certificates;
  /// tls.key: the key of the first certificate.
  KeyPem key;
  /// ca.crt: the authorities that are trusted.
  std::string authorities;

  friend bool operator==(const SecretData&, const SecretData&) = default;
};

}  // namespace berth::certs
