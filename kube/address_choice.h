#pragma once

#include <string>
#include <vector>

namespace berth::kube {

/// Which of a host's several addresses to try first: the one that worked last, and the one that
/// failed last at the end. A plain value.
class AddressChoice {
 public:
  /// `addresses` in the order to try them; the name server's where nothing is known.
  std::vector<std::string> Order(std::vector<std::string> addresses) const;

  void OnWorked(const std::string& address);
  void OnFailed(const std::string& address);

 private:
  std::string worked_;
  std::string failed_;
};

}  // namespace berth::kube
