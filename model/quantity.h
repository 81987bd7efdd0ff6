#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace berth::model {

/// A Kubernetes resource.Quantity: a fixed-point number that keeps the text it was written as.
///
/// The grammar, the rounding up to nano and the cap at 2^63-1 are those of ParseQuantity in
/// k8s.io/apimachinery/pkg/api/resource/quantity.go (v0.36.3). Thread-compatible value type.
class Quantity {
 public:
  /// Zero, written "0".
  Quantity() = default;

  /// Parses "500m", "40Gi", "1e3", "-2", ... An error says what is wrong with the text and which
  /// suffixes there are; "1e3Ki" is one (a number takes an exponent or a suffix, never both).
  static absl::StatusOr<Quantity> Parse(std::string_view text);

  /// The amount in whole units, fractions rounded away from zero, saturated at the limits of int64,
  /// as Quantity.Value() does it.
  std::int64_t Value() const;

  /// The amount in thousandths, rounded and saturated likewise.
  std::int64_t MilliValue() const;

  /// -1, 0 or 1.
  int Sign() const;

  /// What was parsed, to the letter.
  const std::string& text() const { return text_; }

  /// By amount: "1Gi" equals "1024Mi".
  friend bool operator==(const Quantity& a, const Quantity& b) { return a.nanos_ == b.nanos_; }
  friend bool operator<(const Quantity& a, const Quantity& b) { return a.nanos_ < b.nanos_; }

 private:
  // 2^63-1 in nano needs 93 bits.
  __extension__ using Nanos = __int128;

  Nanos nanos_ = 0;
  std::string text_ = "0";
};

}  // namespace berth::model
