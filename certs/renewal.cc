#include "certs/renewal.h"

#include <algorithm>
#include <chrono>

#include "absl/status/status.h"
#include "certs/issue.h"

namespace berth::certs {

namespace {

Time PartOfLife(const Certificate& certificate, int sixths) {
  const Time made = certificate.not_before() + kBackdate;
  const std::chrono::seconds life =
      std::max(certificate.not_after() - made, Time::duration::zero());
  return made + life * sixths / 6;
}

template <typename Held>
std::optional<Cause> WhyNoneIsHeld(const absl::StatusOr<Held>& held) {
  if (absl::IsNotFound(held.status())) return Cause::kMissing;
  if (absl::IsInvalidArgument(held.status())) return Cause::kUnreadable;
  return std::nullopt;
}

std::optional<Cause> WhyNotUsable(const Certificate& certificate, Time now) {
  if (certificate.not_before() > now) return Cause::kNotYetValid;
  if (certificate.not_after() <= now) return Cause::kEnded;
  return std::nullopt;
}

std::optional<Cause> WhyInTime(const Certificate& certificate, bool asked, Time now) {
  if (DueTime(certificate) <= now) return Cause::kDue;
  if (asked) return Cause::kAsked;
  return std::nullopt;
}

}  // namespace

std::string_view WordsFor(Cause cause) {
  switch (cause) {
    case Cause::kMissing:
      return "is missing";
    case Cause::kUnreadable:
      return "cannot be read";
    case Cause::kNotYetValid:
      return "is not valid yet";
    case Cause::kEnded:
      return "has expired";
    case Cause::kNames:
      return "is for other names";
    case Cause::kUsage:
      return "has the wrong extended key usage";
    case Cause::kIssuer:
      return "is signed by another authority";
    case Cause::kDue:
      return "is due";
    case Cause::kAsked:
      return "is to be renewed on request";
  }
  return "";
}

Time DueTime(const Certificate& certificate) { return PartOfLife(certificate, 4); }
Time LateTime(const Certificate& certificate) { return PartOfLife(certificate, 5); }

std::optional<Cause> WhyNewAuthority(const absl::StatusOr<Authority>& held, bool asked, Time now) {
  if (!held.ok()) return WhyNoneIsHeld(held);
  const Certificate& certificate = held->issuer.certificate;
  if (const auto cause = WhyNotUsable(certificate, now)) return cause;
  return WhyInTime(certificate, asked, now);
}

std::optional<Cause> WhyNewCertificate(const absl::StatusOr<Certificate>& held, const Names& names,
                                       Usage usage, const Certificate& issuer, bool asked,
                                       Time now) {
  if (!held.ok()) return WhyNoneIsHeld(held);
  if (const auto cause = WhyNotUsable(*held, now)) return cause;
  if (!held->IsSignedBy(issuer)) return Cause::kIssuer;
  if (held->names() != names) return Cause::kNames;
  if (!held->IsFor(usage)) return Cause::kUsage;
  return WhyInTime(*held, asked, now);
}

}  // namespace berth::certs
