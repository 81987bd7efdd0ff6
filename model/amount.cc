#include "model/amount.h"

#include <algorithm>

namespace berth::model {
namespace {

constexpr Amount::Nanos kNanosPerMilli = 1'000'000;

std::int64_t DivideAwayFromZero(Amount::Nanos nanos, Amount::Nanos divisor) {
  using Limits = std::numeric_limits<std::int64_t>;
  const Amount::Nanos rounding = divisor - 1;
  const Amount::Nanos quotient = (nanos + (nanos < 0 ? -rounding : rounding)) / divisor;
  return static_cast<std::int64_t>(
      std::clamp<Amount::Nanos>(quotient, Limits::min(), Limits::max()));
}

}  // namespace

std::int64_t Amount::Value() const { return DivideAwayFromZero(nanos_, kNanosPerUnit); }

std::int64_t Amount::MilliValue() const { return DivideAwayFromZero(nanos_, kNanosPerMilli); }

Amount& Amount::operator+=(Amount other) {
  nanos_ = std::clamp(nanos_ + other.nanos_, -kMaxNanos, kMaxNanos);
  return *this;
}

Amount& Amount::operator-=(Amount other) { return *this += Amount(-other.nanos_); }

Amount& Amount::operator*=(std::int64_t factor) {
  const bool negative = (nanos_ < 0) != (factor < 0);
  const Nanos size = nanos_ < 0 ? -nanos_ : nanos_;
  const Nanos times = factor < 0 ? -Nanos{factor} : Nanos{factor};
  const Nanos product = size != 0 && times > kMaxNanos / size ? kMaxNanos : size * times;
  nanos_ = negative ? -product : product;
  return *this;
}

}  // namespace berth::model
