#include "model/quantity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "fmt/format.h"

namespace berth::model {
namespace {

using Nanos = Amount::Nanos;

// The digits of 2^63-1. A number with more digits before its point is capped.
constexpr std::int64_t kMaxWholeDigits = 19;

/// What a suffix multiplies by: 10^exponent * 2^shift.
struct Scale {
  std::int32_t exponent = 0;
  int shift = 0;
};

/// The parts of a quantity: [-]whole[.fraction][suffix].
struct Parts {
  bool negative = false;
  std::string_view whole;
  std::string_view fraction;
  std::string_view suffix;
};

std::string_view TakeDigits(std::string_view& text) {
  const std::size_t size = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view digits = text.substr(0, size);
  text.remove_prefix(size);
  return digits;
}

Parts Split(std::string_view text) {
  Parts parts;
  if (text.starts_with('-') || text.starts_with('+')) {
    parts.negative = text.front() == '-';
    text.remove_prefix(1);
  }
  parts.whole = TakeDigits(text);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    parts.fraction = TakeDigits(text);
  }
  parts.suffix = text;
  return parts;
}

/// Parses the number after "e" or "E" and keeps its low 32 bits, as suffixHandler.interpret in
/// suffix.go does.
std::optional<std::int32_t> ParseExponent(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  std::int64_t exponent = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, exponent);
  if (error != std::errc() || stop != end) return std::nullopt;
  return static_cast<std::int32_t>(exponent);
}

std::optional<Scale> ParseSuffix(std::string_view suffix) {
  static constexpr std::array<std::pair<std::string_view, Scale>, 16> kSuffixes = {{
      {"", {0, 0}},
      {"n", {-9, 0}},
      {"u", {-6, 0}},
      {"m", {-3, 0}},
      {"k", {3, 0}},
      {"M", {6, 0}},
      {"G", {9, 0}},
      {"T", {12, 0}},
      {"P", {15, 0}},
      {"E", {18, 0}},
      {"Ki", {0, 10}},
      {"Mi", {0, 20}},
      {"Gi", {0, 30}},
      {"Ti", {0, 40}},
      {"Pi", {0, 50}},
      {"Ei", {0, 60}},
  }};
  for (const auto& [name, scale] : kSuffixes) {
    if (name == suffix) return scale;
  }
  if (suffix.front() != 'e' && suffix.front() != 'E') return std::nullopt;
  const std::optional<std::int32_t> exponent = ParseExponent(suffix.substr(1));
  if (!exponent) return std::nullopt;
  return Scale{*exponent, 0};
}

/// Returns the first `count` of `digits` as a number; missing digits count as 0. `count` <= 19.
Nanos WholePart(std::string_view digits, std::int64_t count) {
  Nanos whole = 0;
  for (std::size_t i = 0; std::cmp_less(i, count); ++i) {
    whole = whole * 10 + (i < digits.size() ? digits[i] - '0' : 0);
  }
  return whole;
}

/// Returns 0.<zeros><digits> * unit, rounded up. Exact for any number of digits: it multiplies by
/// hand from the last digit on, and keeps only the carry and whether anything was dropped.
Nanos FractionPart(std::int64_t zeros, std::string_view digits, Nanos unit) {
  // Below 10^-40 the product with any unit (< 10^28) is less than one nano.
  if (zeros > 40) return 1;
  Nanos carry = 0;
  bool inexact = false;
  const auto step = [&](int digit) {
    const Nanos total = digit * unit + carry;
    inexact = inexact || total % 10 != 0;
    carry = total / 10;
  };
  for (std::size_t i = digits.size(); i > 0; --i) step(digits[i - 1] - '0');
  for (std::int64_t i = 0; i < zeros; ++i) step(0);
  return carry + (inexact ? 1 : 0);
}

/// Returns 0.<digits> * 10^point * 2^shift in nano, rounded up and capped.
Nanos Magnitude(std::string_view digits, std::int64_t point, int shift) {
  const std::size_t first = digits.find_first_not_of('0');
  if (first == std::string_view::npos) return 0;
  digits.remove_prefix(first);
  point -= static_cast<std::int64_t>(first);
  if (point > kMaxWholeDigits) return Amount::kMaxNanos;

  const Nanos unit = Amount::kNanosPerUnit << shift;
  const Nanos whole = WholePart(digits, point);
  if (whole > Amount::kMaxNanos / unit) return Amount::kMaxNanos;
  const std::size_t consumed =
      std::min(digits.size(), static_cast<std::size_t>(std::max<std::int64_t>(point, 0)));
  const std::int64_t zeros = std::max<std::int64_t>(-point, 0);
  const Nanos fraction = FractionPart(zeros, digits.substr(consumed), unit);
  return std::min(Amount::kMaxNanos, whole * unit + fraction);
}

absl::Status NotAQuantity(std::string_view text, std::string_view why) {
  constexpr std::size_t kShown = 40;
  const std::string shown = absl::CHexEscape(std::string(text.substr(0, kShown)));
  return absl::InvalidArgumentError(fmt::format(
      "\"{}{}\" is not a quantity: {}; write a number with at most one suffix (n u m k M "
      "G T P E Ki Mi Gi Ti Pi Ei) or exponent, such as \"500m\", \"40Gi\" or \"1e3\"",
      shown, text.size() > kShown ? "..." : "", why));
}

}  // namespace

absl::StatusOr<Amount> Quantity::ParseAmount(std::string_view text) {
  if (text.empty()) return NotAQuantity(text, "it is empty");
  const Parts parts = Split(text);
  const std::optional<Scale> scale = ParseSuffix(parts.suffix);
  if (!scale) return NotAQuantity(text, "what follows the number is neither suffix nor exponent");
  // Without any digit, ParseQuantity reads 0, unless it needs its arbitrary-precision path.
  const bool no_digits = parts.whole.empty() && parts.fraction.empty();
  if (no_digits && (scale->exponent < -9 || scale->shift > 40)) {
    return NotAQuantity(text, "it has no digits");
  }

  const std::string digits = fmt::format("{}{}", parts.whole, parts.fraction);
  const std::int64_t point = static_cast<std::int64_t>(parts.whole.size()) + scale->exponent;
  const Nanos magnitude = Magnitude(digits, point, scale->shift);
  return Amount::FromNanos(parts.negative ? -magnitude : magnitude);
}

absl::StatusOr<Quantity> Quantity::Parse(std::string_view text) {
  const absl::StatusOr<Amount> amount = ParseAmount(text);
  if (!amount.ok()) return amount.status();
  return Quantity(*amount, std::string(text));
}

Quantity Quantity::OfMilli(std::int64_t milli) {
  constexpr std::int64_t kMilliPerUnit = 1000;
  const bool whole = milli % kMilliPerUnit == 0;
  return Quantity(Amount::FromNanos(Nanos{milli} * (Amount::kNanosPerUnit / kMilliPerUnit)),
                  whole ? fmt::format("{}", milli / kMilliPerUnit) : fmt::format("{}m", milli));
}

Quantity Quantity::OfBytes(std::int64_t bytes) {
  constexpr std::array<std::string_view, 7> kSuffixes = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  std::int64_t number = bytes;
  std::size_t suffix = 0;
  for (; number != 0 && number % 1024 == 0; number /= 1024) ++suffix;
  return Quantity(Amount::FromNanos(bytes * Amount::kNanosPerUnit),
                  fmt::format("{}{}", number, kSuffixes[suffix]));
}

}  // namespace berth::model
