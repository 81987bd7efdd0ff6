#pragma once

#include <chrono>

#include "absl/status/statusor.h"
#include "certs/certificate.h"
#include "certs/names.h"
#include "certs/private_key.h"

namespace berth::certs {

/// Certificates begin to be valid so long before they are made: the clocks of those who verify them
/// may be behind.
inline constexpr std::chrono::hours kBackdate{1};

/// Both ends belong to it.
struct Validity {
  Time not_before;
  Time not_after;
};

/// From `now` on, for clocks that are behind, too.
Validity ValidFor(std::chrono::seconds life, Time now);

/// An authority that has signed itself, under a name that no other has.
absl::StatusOr<Certificate> IssueRoot(const PrivateKey& key, const Validity& validity);

/// What signs.
struct Issuer {
  Certificate certificate;
  PrivateKey key;
};

/// `root` once more, with the same name and key, but signed by `former`: whoever trusts that one
/// alone can verify by it what `root` has signed.
absl::StatusOr<Certificate> IssueCross(const Certificate& root, const Issuer& former,
                                       const Validity& validity);

/// The certificate of a server, or of a client.
absl::StatusOr<Certificate> IssueLeaf(const PrivateKey& key, const Names& names, Usage usage,
                                      const Issuer& issuer, const Validity& validity);

}  // namespace berth::certs
