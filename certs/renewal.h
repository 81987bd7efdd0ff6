#pragma once

#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "certs/authority.h"
#include "certs/certificate.h"
#include "certs/names.h"

namespace berth::certs {

/// Why a certificate is made anew.
enum class Cause {
  kMissing,      // there is no Secret
  kUnreadable,   // what the Secret holds is no certificate with its key
  kNotYetValid,  // by our clock; somebody's was ahead
  kEnded,
  kNames,   // it is for other names
  kUsage,   // it is for the other side of a connection
  kIssuer,  // another authority has signed it
  kDue,     // two thirds of its life have passed
  kAsked,
};

/// "is missing", for a log line.
std::string_view WordsFor(Cause cause);

/// When two thirds of its life have passed: from when it was made, which is kBackdate after it
/// became valid.
Time DueTime(const Certificate& certificate);

/// When five sixths have: whatever it was waited for, it is late.
Time LateTime(const Certificate& certificate);

/// `held`: NotFound where there is no Secret, InvalidArgument where it cannot be read. With another
/// error nobody knows, and there is no cause. `asked`: somebody wants a new one.
std::optional<Cause> WhyNewAuthority(const absl::StatusOr<Authority>& held, bool asked, Time now);

/// The same of the certificate of a server or client, which is to have `names` and to be signed by
/// `issuer`.
std::optional<Cause> WhyNewCertificate(const absl::StatusOr<Certificate>& held, const Names& names,
                                       Usage usage, const Certificate& issuer, bool asked,
                                       Time now);

}  // namespace berth::certs
