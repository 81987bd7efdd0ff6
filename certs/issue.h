#pragma once

#include <chrono>

#include "absl/status/statusor.h"
#include "certs/certificate.h"
#include "certs/names.h"
#include "certs/private_key.h"

namespace berth::certs {

/// Certificates are valid from this long before they are made, because the clocks of those who
/// verify them may be behind.
inline constexpr std::chrono::hours kBackdate{1};

/// A period of validity. Both ends belong to it, but OpenSSL rejects a certificate in its last
/// second already.
struct Validity {
  Time not_before;
  Time not_after;
};

/// Returns the validity of a certificate that is made `now` and ends after `life`: it begins
/// kBackdate before `now`.
Validity ValidFor(std::chrono::seconds life, Time now);

/// Makes a self-signed authority with the name "Berth CA <8 hexadecimal digits>", which is
/// different for each. This and the next two functions return InvalidArgument with OpenSSL's reason
/// if they fail.
absl::StatusOr<Certificate> IssueRoot(const PrivateKey& key, const Validity& validity);

/// A certificate with its key, which signs others. The key must fit the certificate. A plain value.
struct Issuer {
  Certificate certificate;
  PrivateKey key;
};

/// Makes a second certificate for `root`, with the same name and key, but signed by `former`. With
/// it, a client that trusts only `former` can verify what `root` has signed.
absl::StatusOr<Certificate> IssueCross(const Certificate& root, const Issuer& former,
                                       const Validity& validity);

/// Makes the certificate of a server or a client with `key`, signed by `issuer`. `names` become its
/// subject alternative names, and `usage` its extended key usage. The function does not check that
/// the validity lies within that of `issuer`.
absl::StatusOr<Certificate> IssueLeaf(const PrivateKey& key, const Names& names, Usage usage,
                                      const Issuer& issuer, const Validity& validity);

}  // namespace berth::certs
