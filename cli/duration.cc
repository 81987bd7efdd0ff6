#include "cli/duration.h"

#include <absl/status/status.h>
#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

namespace berth::cli {

namespace {

__extension__ using Wide = __int128;

constexpr std::int64_t kSecond = 1'000'000'000;  // in nanoseconds
constexpr std::int64_t kLongest = std::numeric_limits<std::int64_t>::max();

constexpr std::pair<std::string_view, std::int64_t> kUnits[] = {
    {"ns", 1},         {"us", 1'000},  {"µs", 1'000},       {"μs", 1'000},
    {"ms", 1'000'000}, {"s", kSecond}, {"m", 60 * kSecond}, {"h", 3600 * kSecond},
};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::string_view TakeWhile(std::string_view& text, bool (*belongs)(char)) {
  std::size_t length = 0;
  while (length < text.size() && belongs(text[length])) ++length;
  const std::string_view taken = text.substr(0, length);
  text.remove_prefix(length);
  return taken;
}

std::optional<std::int64_t> UnitOf(std::string_view name) {
  for (const auto& [unit, nanoseconds] : kUnits) {
    if (unit == name) return nanoseconds;
  }
  return std::nullopt;
}

// digits x unit; nothing when it is longer than kLongest.
std::optional<Wide> Whole(std::string_view digits, std::int64_t unit) {
  Wide value = 0;
  for (const char digit : digits) {
    value = value * 10 + (digit - '0');
    if (value * unit > kLongest) return std::nullopt;
  }
  return value * unit;
}

// 0.digits x unit, cut below a nanosecond as Go does.
Wide Fraction(std::string_view digits, std::int64_t unit) {
  Wide numerator = 0;
  Wide divisor = 1;
  // Further digits are below a nanosecond of any unit.
  for (const char digit : digits.substr(0, 18)) {
    numerator = numerator * 10 + (digit - '0');
    divisor *= 10;
  }
  return numerator * unit / divisor;
}

absl::Status Error(std::string_view text, std::string_view problem) {
  return absl::InvalidArgumentError(
      fmt::format("\"{}\" {}; write a duration such as 10m, 1h30m or 0s", text, problem));
}

// One number with its unit off the front of `rest`, in nanoseconds.
absl::StatusOr<Wide> TakePart(std::string_view text, std::string_view& rest) {
  const std::string_view whole = TakeWhile(rest, IsDigit);
  std::string_view fraction;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    fraction = TakeWhile(rest, IsDigit);
  }
  if (whole.empty() && fraction.empty()) return Error(text, "is not a duration");
  const auto unit_name = TakeWhile(rest, [](char c) { return c != '.' && !IsDigit(c); });
  if (unit_name.empty()) return Error(text, "has a number without a unit (h, m or s)");
  const auto unit = UnitOf(unit_name);
  if (!unit) return Error(text, fmt::format("has the unknown unit '{}'", unit_name));
  const auto nanoseconds = Whole(whole, *unit);
  if (!nanoseconds) return Error(text, "is longer than 292 years");
  return *nanoseconds + Fraction(fraction, *unit);
}

}  // namespace

absl::StatusOr<model::Duration> ParseDuration(std::string_view text) {
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  if (rest == "0") return model::Duration{0};
  if (rest.empty()) return Error(text, "is not a duration");
  Wide sum = 0;
  while (!rest.empty()) {
    const auto part = TakePart(text, rest);
    if (!part.ok()) return part.status();
    sum += *part;
    if (sum > kLongest) return Error(text, "is longer than 292 years");
  }
  if (sum % kSecond != 0) return Error(text, "is not a whole number of seconds");
  const auto seconds = static_cast<std::int64_t>(sum / kSecond);
  return model::Duration{negative ? -seconds : seconds};
}

std::string FormatDuration(model::Duration duration) {
  const std::int64_t seconds = duration.count();
  if (seconds == 0) return "0s";
  std::string text = seconds < 0 ? "-" : "";
  const std::int64_t all = seconds < 0 ? -seconds : seconds;
  if (all >= 3600) text += fmt::format("{}h", all / 3600);
  if (all / 60 % 60 > 0) text += fmt::format("{}m", all / 60 % 60);
  if (all % 60 > 0) text += fmt::format("{}s", all % 60);
  return text;
}

}  // namespace berth::cli
