#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "certs/certificate.h"
#include "certs/issue.h"
#include "certs/secret_data.h"

namespace berth::certs {

/// A certificate authority: it signs the certificates of servers and clients, and knows the
/// authorities that did so before. A plain value, with which a rotation goes like this:
///
///   auto first = FirstAuthority(life, {}, now);       // signs certificates
///   auto next = NextAuthority(*first, life, later);   // is in Bundle() first, then signs
///
/// Clients that read ca.crt again trust both. Clients that still trust only the first authority can
/// verify the certificates of the next, because servers send its `chain`. When the first has ended,
/// WithoutEnded() removes it. See plan.h for when each step is due.
struct Authority {
  /// Its certificate and key, which sign.
  Issuer issuer;
  /// What servers send after their own certificate: this authority, signed by its former
  /// authorities (IssueCross). With it, a client that trusts only one of these can verify what this
  /// authority signs.
  std::vector<Certificate> chain;
  /// The authorities that signed before and have not ended, the latest first. They remain trusted.
  std::vector<Certificate> formers;
};

/// The most former authorities that are kept. Earlier ones are forgotten: all that they signed has
/// ended or was renewed, and every one makes handshakes longer.
inline constexpr std::size_t kMaxFormers = 8;

/// Reads what ToSecret() wrote, or a certificate and key that somebody else stored, for which
/// ca.crt may be missing. Returns InvalidArgument, with a sentence that contains nothing of the
/// data, if it is not the certificate of an authority with its key.
absl::StatusOr<Authority> ReadAuthority(const SecretData& data);

/// Returns the data for the authority's Secret, with its key.
SecretData ToSecret(const Authority& authority);

/// Makes an authority that nobody trusts yet, valid from `now` for `life`. `formers` remain
/// trusted; at most kMaxFormers of them, without those that have ended or are no authorities.
absl::StatusOr<Authority> FirstAuthority(std::chrono::seconds life,
                                         const std::vector<Certificate>& formers, Time now);

/// Makes the authority that follows `former`, valid from `now` for `life`. `former` remains
/// trusted, and signs the new authority's certificate, too.
absl::StatusOr<Authority> NextAuthority(const Authority& former, std::chrono::seconds life,
                                        Time now);

/// Returns all authorities that are to be trusted at `now` in PEM, `authority` itself first. This
/// is the content of caBundles and of ca.crt.
std::string Bundle(const Authority& authority, Time now);

/// Returns `authority` without the certificates in `chain` and `formers` that have ended.
Authority WithoutEnded(Authority authority, Time now);

}  // namespace berth::certs
