#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace berth::model {

/// An exact number of units, nano the finest. Sums are exact too, so that rounding happens once, as
/// kube-scheduler does it. Saturates at 2^63-1 units either way. Thread-compatible value type.
class Amount {
 public:
  /// 2^63-1 units in nano need 93 bits.
  __extension__ using Nanos = __int128;

  static constexpr Nanos kNanosPerUnit = 1'000'000'000;
  static constexpr Nanos kMaxNanos = std::numeric_limits<std::int64_t>::max() * kNanosPerUnit;

  /// Zero.
  constexpr Amount() = default;

  /// `nanos` must lie within ±kMaxNanos.
  static constexpr Amount FromNanos(Nanos nanos) { return Amount(nanos); }

  /// In whole units, fractions rounded away from zero.
  std::int64_t Value() const;

  /// In thousandths, rounded likewise; saturates at the limits of int64.
  std::int64_t MilliValue() const;

  /// -1, 0 or 1.
  int Sign() const { return nanos_ < 0 ? -1 : nanos_ > 0; }

  Amount& operator+=(Amount other);
  Amount& operator-=(Amount other);

  /// So many times as much.
  Amount& operator*=(std::int64_t factor);

  friend bool operator==(Amount, Amount) = default;
  friend auto operator<=>(Amount, Amount) = default;

 private:
  explicit constexpr Amount(Nanos nanos) : nanos_(nanos) {}

  Nanos nanos_ = 0;
};

}  // namespace berth::model
