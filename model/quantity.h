#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "model/amount.h"

namespace berth::model {

/// A Kubernetes resource.Quantity: an amount together with the text it was written as.
///
///   Quantity::Parse("1500m")->Value();       // 2
///   Quantity::Parse("1500m")->MilliValue();  // 1500
///   Quantity::Parse("40Gi")->Value();        // 42949672960
///   Quantity::Parse("1e3Ki").status();       // InvalidArgument
///
/// The grammar and the rounding up to nano are those of ParseQuantity in
/// k8s.io/apimachinery/pkg/api/resource/quantity.go (v0.36.3), including its oddities: the empty
/// number of "Ki", "." or "+" is 0, and exponents keep only their low 32 bits. Amounts are capped
/// at 2^63-1, as that file documents (its code caps "16Ei" but lets "1e30" overflow later).
///
/// A value type: copies are independent, and concurrent reads are safe.
class Quantity {
 public:
  /// Zero, written "0".
  Quantity() = default;

  /// Parses "500m", "40Gi", "1e3", "-2" and the like. Returns InvalidArgument, with a sentence that
  /// says what is wrong with the text and which suffixes exist. "1e3Ki" is an error: a number takes
  /// an exponent or a suffix, never both.
  static absl::StatusOr<Quantity> Parse(std::string_view text);

  /// Parses like Parse(), for callers that do not need the text.
  static absl::StatusOr<Amount> ParseAmount(std::string_view text);

  /// Makes a quantity of `milli` thousandths, which must be 0 or more. Its text is as people write
  /// it: "8" or "3900m".
  static Quantity OfMilli(std::int64_t milli);
  /// Makes a quantity of `bytes`, which must be 0 or more. Its text has the largest binary suffix
  /// that leaves a whole number: "80Gi", "1536Mi", "1000".
  static Quantity OfBytes(std::int64_t bytes);

  /// The exact amount, in units.
  Amount amount() const { return amount_; }

  /// Whole units, with fractions rounded away from zero, saturated at the limits of int64.
  std::int64_t Value() const { return amount_.Value(); }

  /// Thousandths of a unit, rounded and saturated likewise.
  std::int64_t MilliValue() const { return amount_.MilliValue(); }

  /// -1, 0 or 1.
  int Sign() const { return amount_.Sign(); }

  /// The text that was parsed, unchanged.
  const std::string& text() const { return text_; }

  /// Compare amounts, not texts: "1Gi" equals "1024Mi".
  friend bool operator==(const Quantity& a, const Quantity& b) { return a.amount_ == b.amount_; }
  friend bool operator<(const Quantity& a, const Quantity& b) { return a.amount_ < b.amount_; }

 private:
  Quantity(Amount amount, std::string text) : amount_(amount), text_(std::move(text)) {}

  Amount amount_;
  std::string text_ = "0";
};

}  // namespace berth::model
