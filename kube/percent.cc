#include "kube/percent.h"

#include <charconv>
#include <system_error>

namespace berth::kube {

std::optional<std::string> PercentDecoded(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i];
      continue;
    }
    const std::string_view digits = text.substr(i + 1, 2);
    const char* const end = digits.data() + digits.size();
    unsigned value = 0;
    const auto read = std::from_chars(digits.data(), end, value, 16);
    if (digits.size() != 2 || read.ec != std::errc() || read.ptr != end) return std::nullopt;
    plain += static_cast<char>(value);
    i += 2;
  }
  return plain;
}

}  // namespace berth::kube
