#include "kube/address_choice.h"

#include <algorithm>

namespace berth::kube {

std::vector<std::string> AddressChoice::Order(std::vector<std::string> addresses) const {
  const auto rank = [this](const std::string& address) {
    if (address == worked_) return 0;
    return address == failed_ ? 2 : 1;
  };
  std::stable_sort(addresses.begin(), addresses.end(),
                   [&](const std::string& a, const std::string& b) { return rank(a) < rank(b); });
  return addresses;
}

void AddressChoice::OnWorked(const std::string& address) {
  worked_ = address;
  if (failed_ == address) failed_.clear();
}

void AddressChoice::OnFailed(const std::string& address) {
  failed_ = address;
  if (worked_ == address) worked_.clear();
}

}  // namespace berth::kube
