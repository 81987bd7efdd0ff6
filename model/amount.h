#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace berth::model {

/// An exact amount of some unit, with a resolution of one nano. Sums are exact, so that rounding
/// happens only once, at the end, as in kube-scheduler: two containers with 0.5 units each are 1
/// unit, not 2. Amounts saturate at ±(2^63-1) units. A value type: copies are independent, and
/// concurrent reads are safe.
class Amount {
 public:
  /// Wide enough for 2^63-1 units in nano, which need 93 bits.
  __extension__ using Nanos = __int128;

  /// Nanos in one unit.
  static constexpr Nanos kNanosPerUnit = 1'000'000'000;
  /// The greatest amount, 2^63-1 units.
  static constexpr Nanos kMaxNanos = std::numeric_limits<std::int64_t>::max() * kNanosPerUnit;

  /// Zero.
  constexpr Amount() = default;

  /// Makes an amount from nanos, which must lie within ±kMaxNanos.
  static constexpr Amount FromNanos(Nanos nanos) { return Amount(nanos); }

  /// Whole units, with fractions rounded away from zero.
  std::int64_t Value() const;

  /// Thousandths of a unit, rounded likewise. Saturates at the limits of int64.
  std::int64_t MilliValue() const;

  /// -1, 0 or 1.
  int Sign() const { return nanos_ < 0 ? -1 : nanos_ > 0; }

  /// Adds exactly, or saturates.
  Amount& operator+=(Amount other);
  /// Subtracts exactly, or saturates.
  Amount& operator-=(Amount other);

  /// Multiplies exactly, or saturates.
  Amount& operator*=(std::int64_t factor);

  friend bool operator==(Amount, Amount) = default;
  /// Amounts are equal or ordered by their exact values.
  friend auto operator<=>(Amount, Amount) = default;

 private:
  explicit constexpr Amount(Nanos nanos) : nanos_(nanos) {}

  Nanos nanos_ = 0;
};

}  // namespace berth::model
