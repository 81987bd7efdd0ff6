#pragma once

#include <chrono>
#include <vector>

#include "absl/status/statusor.h"
#include "certs/authority.h"
#include "certs/certificate.h"
#include "certs/names.h"
#include "certs/secret_data.h"

namespace berth::certs {

/// Returns the certificate in a server's Secret, whose key must fit it. Returns InvalidArgument,
/// with a sentence that contains nothing of the data, if there is none.
absl::StatusOr<Certificate> ReadServerCertificate(const SecretData& data);

/// Makes a certificate and key, signed by `authority`, valid from `now` for `life` but not beyond
/// the end of `authority`. The result is the content of the server's Secret: the certificate with
/// the chain of `authority`, the key, and Bundle(). A client gets its certificate in the same way;
/// `names` are then the names by which the server knows it.
///
/// Returns InvalidArgument with OpenSSL's reason if that fails.
absl::StatusOr<SecretData> NewServerCertificate(const Authority& authority, const Names& names,
                                                std::chrono::seconds life, Time now,
                                                Usage usage = Usage::kServer);

/// Returns the authorities in ca.crt of a server's Secret. Empty if they cannot be read.
std::vector<Certificate> TrustedBy(const SecretData& data);

}  // namespace berth::certs
