#pragma once

#include <chrono>
#include <vector>

#include "absl/status/statusor.h"
#include "certs/authority.h"
#include "certs/certificate.h"
#include "certs/names.h"
#include "certs/secret_data.h"

namespace berth::certs {

/// The certificate in a server's Secret, whose key fits it. InvalidArgument, with a sentence that
/// holds nothing of the data, where there is none.
absl::StatusOr<Certificate> ReadServerCertificate(const SecretData& data);

/// A new certificate and key, signed by `authority`, whose end it does not outlive. A client of a
/// server gets one in the same way: `names` are then those by which the server knows it.
absl::StatusOr<SecretData> NewServerCertificate(const Authority& authority, const Names& names,
                                                std::chrono::seconds life, Time now,
                                                Usage usage = Usage::kServer);

/// The authorities that a server's Secret says are trusted; none where they cannot be read.
std::vector<Certificate> TrustedBy(const SecretData& data);

}  // namespace berth::certs
