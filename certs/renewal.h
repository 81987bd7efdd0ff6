#pragma once

#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "certs/authority.h"
#include "certs/certificate.h"
#include "certs/names.h"

namespace berth::certs {

/// Why a certificate must be renewed, or an authority replaced. If several causes apply, the
/// functions below return the first of: kMissing, kUnreadable, kNotYetValid, kEnded, kIssuer,
/// kNames, kUsage, kDue, kAsked.
enum class Cause {
  kMissing,      // there is no Secret
  kUnreadable,   // the Secret has no certificate with its key
  kNotYetValid,  // by our clock; the clock of its maker was ahead
  kEnded,
  kNames,   // it has other names than required
  kUsage,   // it is for the other side of a connection
  kIssuer,  // it was signed by another authority
  kDue,     // two thirds of its life have passed
  kAsked,
};

/// Returns words for a log line, e.g. "is missing".
std::string_view WordsFor(Cause cause);

/// Returns when two thirds of the certificate's life have passed. Its life begins when it was made,
/// which is kBackdate after it became valid. A certificate of 90 days is due 30 days before its
/// end.
Time DueTime(const Certificate& certificate);

/// Returns when five sixths of its life have passed. Then it is late, and renewing it must wait for
/// nothing. A certificate of 90 days is late 15 days before its end.
Time LateTime(const Certificate& certificate);

/// Returns why there must be a new authority, or nullopt. `held` is NotFound if there is no Secret,
/// and InvalidArgument if the Secret cannot be used. With any other error nothing is known, and the
/// result is nullopt. `asked` is whether somebody requests a new one.
std::optional<Cause> WhyNewAuthority(const absl::StatusOr<Authority>& held, bool asked, Time now);

/// Like WhyNewAuthority(), for the certificate of a server or client that should have `names` and
/// `usage` and be signed by `issuer`.
std::optional<Cause> WhyNewCertificate(const absl::StatusOr<Certificate>& held, const Names& names,
                                       Usage usage, const Certificate& issuer, bool asked,
                                       Time now);

}  // namespace berth::certs
