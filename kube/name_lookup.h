#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace berth::kube {

/// Whether `host` is an IPv4 or IPv6 address, which needs no name server.
bool IsIpLiteral(const std::string& host);

/// Asks the system for the addresses of a host. The system's call cannot be interrupted, so each
/// runs on a thread of its own, which is left behind when nobody waits for it any more.
///
/// Not thread-safe except for Stop().
class NameLookup {
 public:
  /// Returns the numeric addresses of a host. Called on a thread of its own, possibly several times
  /// at once, and may outlive the NameLookup.
  using Ask = std::function<absl::StatusOr<std::vector<std::string>>(const std::string& host)>;

  /// `ask` replaces the system's lookup, for tests.
  explicit NameLookup(Ask ask = {});

  /// Returns the numeric addresses of `host` in the system's order of preference, at least one. A
  /// numeric host is returned as it is. Blocks for up to `timeout`. Returns Cancelled after Stop(),
  /// DeadlineExceeded after `timeout`, and Unavailable if the name server knows no address. Throws
  /// std::system_error if the system has no thread for it.
  absl::StatusOr<std::vector<std::string>> Resolve(const std::string& host,
                                                   std::chrono::milliseconds timeout);

  /// Makes Resolve() return at once, now and for ever. From any thread.
  void Stop();

 private:
  /// What the lookup shares with its threads, including those that were left behind.
  struct State;
  const Ask ask_;
  std::shared_ptr<State> state_;
};

}  // namespace berth::kube
