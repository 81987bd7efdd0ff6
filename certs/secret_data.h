#pragma once

#include <string>

#include "certs/private_key.h"

namespace berth::certs {

/// What a Secret of type kubernetes.io/tls holds; all in PEM, and empty where it is not there.
struct SecretData {
  /// tls.crt: the certificate, then those that lead from it to one that is trusted.
  std::string certificates;
  /// tls.key: of the first of them.
  KeyPem key;
  /// ca.crt: the authorities that are trusted.
  std::string authorities;

  friend bool operator==(const SecretData&, const SecretData&) = default;
};

}  // namespace berth::certs
