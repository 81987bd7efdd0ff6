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

/// Who signs the certificates of servers, and who did before.
struct Authority {
  Issuer issuer;
  /// What servers send behind their own certificate: this authority as its formers have signed it
  /// (IssueCross), so that who trusts one of these alone can verify what this one signs.
  std::vector<Certificate> chain;
  /// Those that signed before and have not ended, the latest first.
  std::vector<Certificate> formers;
};

/// More authorities that signed before are forgotten: all that they have signed has ended or was
/// made anew, and every one makes handshakes longer.
inline constexpr std::size_t kMaxFormers = 8;

/// Reads what ToSecret() wrote, or a certificate and key that somebody else has put there; ca.crt
/// may then be missing. InvalidArgument, with a sentence that holds nothing of the data, where it
/// is not a certificate of an authority with its key.
absl::StatusOr<Authority> ReadAuthority(const SecretData& data);

SecretData ToSecret(const Authority& authority);

/// One that nobody knows yet. `formers` go on being trusted.
absl::StatusOr<Authority> FirstAuthority(std::chrono::seconds life,
                                         std::vector<Certificate> formers, Time now);

/// One that follows `former`, which goes on being trusted and vouches for it.
absl::StatusOr<Authority> NextAuthority(const Authority& former, std::chrono::seconds life,
                                        Time now);

/// All who are to be trusted at `now`, the authority itself first, in PEM: what caBundles and
/// ca.crt hold.
std::string Bundle(const Authority& authority, Time now);

/// Without what has ended.
Authority WithoutEnded(Authority authority, Time now);

}  // namespace berth::certs
