#pragma once

#include <string>
#include <vector>

namespace berth::kube {

/// Chooses which of a host's addresses to try first: the one that worked last comes first, the one
/// that failed last comes last. So a client neither leaves a working address without need, nor
/// waits for a dead one each time.
///
///   for (const std::string& address : choice.Order(addresses)) {
///     if (Connect(address)) return choice.OnWorked(address);
///     choice.OnFailed(address);
///   }
///
/// A value type; not synchronised.
class AddressChoice {
 public:
  /// Returns `addresses` in the order in which to try them. Addresses of which nothing is known
  /// keep the order of the name server.
  std::vector<std::string> Order(std::vector<std::string> addresses) const;

  /// Records that a request to `address` was answered.
  void OnWorked(const std::string& address);
  /// Records that `address` could not be reached, or that a connection to it broke.
  void OnFailed(const std::string& address);

 private:
  /// Both empty if nothing is known.
  std::string worked_;
  std::string failed_;
};

}  // namespace berth::kube
