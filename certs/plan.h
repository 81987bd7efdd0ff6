#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "certs/authority.h"
#include "certs/certificate.h"
#include "certs/names.h"
#include "certs/renewal.h"

namespace berth::certs {

/// The Secret of the authority, as it was read: for `held` see WhyNewAuthority().
struct AuthorityState {
  absl::StatusOr<Authority> held;
  /// Its ca.crt.
  std::string authorities;
  /// Somebody wants a new one.
  bool asked = false;
};

/// A server, or a client of one, and its Secret, as it was read: for `held` see
/// WhyNewCertificate().
struct ServerState {
  absl::StatusOr<Certificate> held;
  /// Its ca.crt, and what that says.
  std::string authorities;
  std::vector<Certificate> trusted;
  bool asked = false;
  /// That it is to have.
  Names names;
  Usage usage = Usage::kServer;
};

/// All that is known.
struct State {
  AuthorityState authority;
  std::vector<ServerState> servers;
  /// The caBundles of webhooks.
  std::vector<std::string> bundles;
  /// Whether `bundles` are all there are.
  bool knows_bundles = true;
};

/// A server's Secret that is to be written.
struct ServerTask {
  /// In State::servers.
  std::size_t server = 0;
  /// Why it gets another certificate; nothing: it gets another ca.crt alone.
  std::optional<Cause> cause;
};

/// What is to be done now. Another authority comes first, and where it can be written alone: what
/// else there is to do follows when it is known, so that everybody can trust it before it signs
/// anything. The rest stands here all the same, for the former one, if that still works: were it
/// impossible to write the next one, certificates must not end meanwhile.
struct Plan {
  /// Why there is to be another authority.
  std::optional<Cause> authority;
  /// Those that it follows are known from the servers' Secrets alone.
  std::vector<Certificate> formers;
  /// The authority's Secret says what has ended, or lacks what is trusted.
  bool tidy_authority = false;
  /// What all caBundles and ca.crt are to hold; empty: nobody knows.
  std::string bundle;
  std::vector<ServerTask> servers;
  /// When there will be something to do, if nothing changes before.
  std::optional<Time> next;
};

/// Decides; no I/O, no clock, no chance.
///
/// A new authority signs nothing before all caBundles and ca.crt were seen to hold it, unless a
/// server has no certificate that works, or is late (LateTime).
Plan MakePlan(const State& state, Time now);

}  // namespace berth::certs
