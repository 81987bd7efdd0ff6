#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace berth::kube {

/// Asks the system for the addresses of a host. The system's call cannot be interrupted, so each
/// runs on a thread of its own that is left behind when nobody waits for it any more.
///
/// Not thread-safe but for Stop().
class NameLookup {
 public:
  NameLookup();

  /// Numeric addresses, in the system's order of preference, at least one. Errors: Cancelled after
  /// Stop(), DeadlineExceeded, Unavailable.
  absl::StatusOr<std::vector<std::string>> Resolve(const std::string& host,
                                                   std::chrono::milliseconds timeout);

  /// Ends Resolve() at once, this one and all later ones. May be called from any thread.
  void Stop();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace berth::kube
