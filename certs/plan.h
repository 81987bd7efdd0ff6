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

/// The Secret of the authority, as it was read.
struct AuthorityState {
  /// The authority in it, or an error as for WhyNewAuthority().
  absl::StatusOr<Authority> held;
  /// The text of its ca.crt.
  std::string authorities;
  /// Whether somebody requests a new authority.
  bool asked = false;
};

/// A server, or a client of one, with its Secret as it was read.
struct ServerState {
  /// The certificate in it, or an error as for WhyNewCertificate().
  absl::StatusOr<Certificate> held;
  /// The text of its ca.crt.
  std::string authorities;
  /// The certificates in that text.
  std::vector<Certificate> trusted;
  /// Whether somebody requests a new certificate.
  bool asked = false;
  /// The names and the usage that its certificate should have.
  Names names;
  Usage usage = Usage::kServer;
};

/// Everything that MakePlan() decides by.
struct State {
  AuthorityState authority;
  std::vector<ServerState> servers;
  /// The caBundles of webhooks.
  std::vector<std::string> bundles;
  /// Whether `bundles` are complete.
  bool knows_bundles = true;
};

/// A server's Secret that must be written.
struct ServerTask {
  /// The index in State::servers.
  std::size_t server = 0;
  /// Why the server gets a new certificate. nullopt if only its ca.crt changes.
  std::optional<Cause> cause;
};

/// What must be done now.
///
/// A new authority comes first. If it can be written, nothing else is done: the rest follows once
/// the new authority was read, so that everybody can trust it before it signs anything. The plan
/// nevertheless contains the rest, for the present authority if that still works. If the new
/// authority cannot be written, the rest is done, so that certificates do not end meanwhile.
///
/// So a rotation takes several rounds of reading, planning and writing:
/// 1. The plan has `authority`, and the caller writes the new authority.
/// 2. The bundle contains the new authority and the former ones. The plan names all servers without
///    a `cause`: they get the new ca.crt. The caller also writes the caBundles that differ.
/// 3. All of these were seen to have the bundle. The plan names the servers again, with kIssuer,
///    and the new authority signs their certificates.
struct Plan {
  /// Why there must be a new authority. nullopt if the present one stays.
  std::optional<Cause> authority;
  /// For a new authority without a present one: the former authorities that the servers' Secrets
  /// name.
  std::vector<Certificate> formers;
  /// Whether the authority's Secret must be written because its ca.crt is not `bundle`.
  bool tidy_authority = false;
  /// The content that all caBundles and ca.crt should have. Empty if it is not known.
  std::string bundle;
  /// The servers' Secrets that must be written.
  std::vector<ServerTask> servers;
  /// When there will be something to do if nothing changes before. nullopt if that is not known.
  std::optional<Time> next;
};

/// Decides what to do. Has no I/O, no clock and no randomness; thread-safe.
///
/// A new authority signs nothing before all caBundles and ca.crt were seen to contain it, except
/// for a server that has no working certificate or whose certificate is late (LateTime).
Plan MakePlan(const State& state, Time now);

}  // namespace berth::certs
