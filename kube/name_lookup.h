#pragma once

#include <chrono>
#include <functional>
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
  /// Gives the numeric addresses of a host; called on any thread.
  using Ask = std::function<absl::StatusOr<std::vector<std::string>>(const std::string& host)>;

  /// `ask` stands in for the system, for tests.
  explicit NameLookup(Ask ask = {});

  /// Numeric addresses, in the system's order of preference, at least one. Errors: Cancelled after
  /// Stop(), DeadlineExceeded, Unavailable.
  absl::StatusOr<std::vector<std::string>> Resolve(const std::string& host,
                                                   std::chrono::milliseconds timeout);

  /// Ends Resolve() at once, this one and all later ones. May be called from any thread.
  void Stop();

 private:
  struct State;
  const Ask ask_;
  std::shared_ptr<State> state_;
};

}  // namespace berth::kube
