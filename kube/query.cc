#include "kube/query.h"

#include "absl/strings/ascii.h"

namespace berth::kube {
namespace {

constexpr std::string_view kHex = "0123456789ABCDEF";

bool IsUnreserved(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
         std::string_view("-._~").find(c) != std::string_view::npos;
}

}  // namespace

Target& Target::With(std::string_view name, std::string_view value) {
  if (value.empty()) return *this;
  text_ += separator_;
  text_ += name;
  text_ += '=';
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (IsUnreserved(c)) {
      text_ += c;
    } else {
      text_ += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  separator_ = '&';
  return *this;
}

}  // namespace berth::kube
