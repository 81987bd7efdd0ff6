#include "certs/plan.h"

#include <algorithm>

#include "absl/status/status.h"

namespace berth::certs {

namespace {

bool IsKnown(const ServerState& server) {
  return server.held.ok() || absl::IsNotFound(server.held.status()) ||
         absl::IsInvalidArgument(server.held.status());
}

bool ExistsAndIsKnown(const ServerState& server) {
  return IsKnown(server) && !absl::IsNotFound(server.held.status());
}

// Lowers `next` to `time`. A time that has passed does not count: what is due is done now, or waits
// for something else.
void Soonest(std::optional<Time>& next, Time time, Time now) {
  if (time > now) next = std::min(next.value_or(time), time);
}

// Plans an authority if there is none whose Secret tells who was trusted.
void PlanFirstAuthority(const State& state, Cause cause, Plan& plan) {
  // A server's Secret that cannot be read now may name an authority that everybody still trusts.
  if (!std::all_of(state.servers.begin(), state.servers.end(), IsKnown)) return;
  plan.authority = cause;
  for (const ServerState& server : state.servers) {
    plan.formers.insert(plan.formers.end(), server.trusted.begin(), server.trusted.end());
  }
}

// Whether all caBundles, and the ca.crt of all servers' Secrets that exist and can be read, are
// `bundle`.
bool IsPublished(const State& state, const std::string& bundle) {
  const bool in_bundles =
      state.knows_bundles &&
      std::all_of(state.bundles.begin(), state.bundles.end(),
                  [&bundle](const std::string& each) { return each == bundle; });
  return in_bundles && std::all_of(state.servers.begin(), state.servers.end(),
                                   [&bundle](const ServerState& server) {
                                     return !ExistsAndIsKnown(server) ||
                                            server.authorities == bundle;
                                   });
}

// Whether a certificate that must be renewed for this cause works until then.
bool Works(Cause cause) {
  return cause == Cause::kNames || cause == Cause::kIssuer || cause == Cause::kDue ||
         cause == Cause::kAsked;
}

// Returns why the server gets a new certificate now, or nullopt if it keeps the present one.
std::optional<Cause> CauseNow(const ServerState& server, const Certificate& issuer, bool published,
                              Time now) {
  const auto cause =
      WhyNewCertificate(server.held, server.names, server.usage, issuer, server.asked, now);
  if (!cause || published || !Works(*cause) || LateTime(*server.held) <= now) return cause;
  return std::nullopt;
}

void PlanServers(const State& state, const Authority& authority, Time now, Plan& plan) {
  const bool published = IsPublished(state, plan.bundle);
  for (std::size_t i = 0; i < state.servers.size(); ++i) {
    const ServerState& server = state.servers[i];
    const auto cause = CauseNow(server, authority.issuer.certificate, published, now);
    const bool stale = ExistsAndIsKnown(server) && server.authorities != plan.bundle;
    if (cause || stale) plan.servers.push_back({.server = i, .cause = cause});
    if (server.held.ok()) Soonest(plan.next, DueTime(*server.held), now);
  }
}

}  // namespace

Plan MakePlan(const State& state, Time now) {
  Plan plan;
  const absl::StatusOr<Authority>& held = state.authority.held;
  const auto cause = WhyNewAuthority(held, state.authority.asked, now);
  if (cause && !held.ok()) PlanFirstAuthority(state, *cause, plan);
  if (!held.ok()) return plan;
  plan.authority = cause;
  if (cause && !Works(*cause)) return plan;
  plan.bundle = Bundle(*held, now);
  plan.tidy_authority = state.authority.authorities != plan.bundle;
  Soonest(plan.next, DueTime(held->issuer.certificate), now);
  for (const Certificate& former : held->formers) {
    Soonest(plan.next, former.not_after() + std::chrono::seconds(1), now);
  }
  PlanServers(state, *held, now, plan);
  return plan;
}

}  // namespace berth::certs
