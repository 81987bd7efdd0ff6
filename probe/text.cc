#include "probe/text.h"

#include <absl/time/time.h>
#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace berth::probe {

namespace {

constexpr std::string_view kBlanks = " \t\r\n";

template <typename Number, typename... Format>
std::optional<Number> Parse(std::string_view text, Format... format) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, format...);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

}  // namespace

std::optional<std::uint64_t> ToNumber(std::string_view text) {
  if (text.starts_with("0x")) return Parse<std::uint64_t>(text.substr(2), 16);
  return Parse<std::uint64_t>(text);
}

std::optional<double> ToDecimal(std::string_view text) {
  const std::optional<double> number = Parse<double>(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::optional<std::chrono::milliseconds> ToDuration(std::string_view text) {
  absl::Duration duration;
  if (!absl::ParseDuration(std::string(text), &duration)) return std::nullopt;
  if (duration < absl::ZeroDuration() || duration > absl::Hours(24 * 365)) return std::nullopt;
  return absl::ToChronoMilliseconds(duration);
}

std::string ToText(std::chrono::milliseconds duration) {
  return absl::FormatDuration(absl::FromChrono(duration));
}

std::string_view Trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::vector<std::string> Split(std::string_view text, std::string_view separators) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find_first_of(separators), text.size());
    if (length > 0) parts.emplace_back(text.substr(0, length));
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  return parts;
}

bool Fits(const std::string& name, const std::vector<std::string>& patterns) {
  if (patterns.empty()) return true;
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
  });
}

}  // namespace berth::probe
