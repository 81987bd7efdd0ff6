#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "model/amount.h"

namespace berth::model {

/// A Kubernetes resource.Quantity: an amount that keeps the text it was written as.
///
/// The grammar and the rounding up to nano are those of ParseQuantity in
/// k8s.io/apimachinery/pkg/api/resource/quantity.go (v0.36.3), its oddities included: the empty
/// number of "Ki", "." or "+" is 0, and exponents keep their low 32 bits only. Amounts are capped
/// at 2^63-1 as that file documents it (its code caps "16Ei" but lets "1e30" overflow later).
/// Thread-compatible value type.
class Quantity {
 public:
  /// Zero, written "0".
  Quantity() = default;

  /// Parses "500m", "40Gi", "1e3", "-2", ... An error says what is wrong with the text and which
  /// suffixes there are; "1e3Ki" is one (a number takes an exponent or a suffix, never both).
  static absl::StatusOr<Quantity> Parse(std::string_view text);

  /// Parse() for who needs the amount and not the text.
  static absl::StatusOr<Amount> ParseAmount(std::string_view text);

  /// Makers of what is 0 or more, written as people write it: "8" or "3900m", and in bytes with the
  /// largest binary suffix that leaves a whole number, "80Gi", "1536Mi", "1000".
  static Quantity OfMilli(std::int64_t milli);
  static Quantity OfBytes(std::int64_t bytes);

  Amount amount() const { return amount_; }

  /// The amount in whole units, fractions rounded away from zero, saturated at the limits of int64.
  std::int64_t Value() const { return amount_.Value(); }

  /// The amount in thousandths, rounded and saturated likewise.
  std::int64_t MilliValue() const { return amount_.MilliValue(); }

  /// -1, 0 or 1.
  int Sign() const { return amount_.Sign(); }

  /// What was parsed, to the letter.
  const std::string& text() const { return text_; }

  /// By amount: "1Gi" equals "1024Mi".
  friend bool operator==(const Quantity& a, const Quantity& b) { return a.amount_ == b.amount_; }
  friend bool operator<(const Quantity& a, const Quantity& b) { return a.amount_ < b.amount_; }

 private:
  Quantity(Amount amount, std::string text) : amount_(amount), text_(std::move(text)) {}

  Amount amount_;
  std::string text_ = "0";
};

}  // namespace berth::model
