#pragma once

#include <cstdint>
#include <limits>

// Arithmetic with amounts that somebody else chose. A pod may request up to 2^63-1 of anything, so
// that two of them already exceed an integer.

namespace berth::model {

/// Returns `a` + `b`, or the limit of int64 that it exceeds.
constexpr std::int64_t SaturatingAdd(std::int64_t a, std::int64_t b) {
  using Limits = std::numeric_limits<std::int64_t>;
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? Limits::max() : Limits::min();
}

/// Returns `a` * `b`, or the limit of int64 that it exceeds.
constexpr std::int64_t SaturatingMultiply(std::int64_t a, std::int64_t b) {
  using Limits = std::numeric_limits<std::int64_t>;
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return product;
  return (a < 0) == (b < 0) ? Limits::max() : Limits::min();
}

}  // namespace berth::model
