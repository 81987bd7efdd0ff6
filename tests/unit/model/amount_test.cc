#include "model/amount.h"

#include <cstdint>
#include <limits>

#include "gtest/gtest.h"

namespace berth::model {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

struct RoundingCase {
  std::int64_t nanos;
  std::int64_t value;
  std::int64_t milli;
};

TEST(AmountTest, RoundsAwayFromZero) {
  const RoundingCase cases[] = {
      {0, 0, 0},
      {1, 1, 1},
      {-1, -1, -1},
      {1'000'000, 1, 1},
      {1'000'001, 1, 2},
      {999'999'999, 1, 1000},
      {1'000'000'000, 1, 1000},
      {1'000'000'001, 2, 1001},
      {-1'000'000'001, -2, -1001},
  };
  for (const RoundingCase& c : cases) {
    const Amount amount = Amount::FromNanos(c.nanos);
    EXPECT_EQ(amount.Value(), c.value) << c.nanos;
    EXPECT_EQ(amount.MilliValue(), c.milli) << c.nanos;
  }
}

TEST(AmountTest, SumsAreExactSoThatRoundingHappensOnce) {
  Amount sum = Amount::FromNanos(500'000);  // half a thousandth
  sum += Amount::FromNanos(500'000);
  EXPECT_EQ(sum.MilliValue(), 1);
}

TEST(AmountTest, SumsSaturateBothWays) {
  Amount most = Amount::FromNanos(Amount::kMaxNanos);
  most += most;
  EXPECT_EQ(most, Amount::FromNanos(Amount::kMaxNanos));
  EXPECT_EQ(most.Value(), kMax);

  Amount least = Amount::FromNanos(-Amount::kMaxNanos);
  least += least;
  EXPECT_EQ(least.Value(), -kMax);
}

TEST(AmountTest, DifferencesAndProductsAreExactAndSaturate) {
  const Amount most = Amount::FromNanos(Amount::kMaxNanos);
  const Amount least = Amount::FromNanos(-Amount::kMaxNanos);
  Amount difference = Amount::FromNanos(5);
  difference -= Amount::FromNanos(7);
  EXPECT_EQ(difference, Amount::FromNanos(-2));
  difference -= most;
  EXPECT_EQ(difference, least);

  const auto times = [](Amount amount, std::int64_t factor) { return amount *= factor; };
  EXPECT_EQ(times(Amount::FromNanos(7), 3), Amount::FromNanos(21));
  EXPECT_EQ(times(Amount::FromNanos(-7), 3), Amount::FromNanos(-21));
  EXPECT_EQ(times(most, 0), Amount());
  EXPECT_EQ(times(Amount(), kMax), Amount());
  EXPECT_EQ(times(most, kMax), most);
  EXPECT_EQ(times(most, -2), least);
  EXPECT_EQ(times(least, std::numeric_limits<std::int64_t>::min()), most);
}

TEST(AmountTest, ThousandthsSaturateWhereUnitsDoNot) {
  const Amount amount = Amount::FromNanos(kMax / 10 * Amount::kNanosPerUnit);
  EXPECT_EQ(amount.Value(), kMax / 10);
  EXPECT_EQ(amount.MilliValue(), kMax);
  EXPECT_EQ(Amount::FromNanos(-kMax / 10 * Amount::kNanosPerUnit).MilliValue(),
            std::numeric_limits<std::int64_t>::min());
}

TEST(AmountTest, OrdersByAmount) {
  EXPECT_LT(Amount::FromNanos(-1), Amount());
  EXPECT_LT(Amount(), Amount::FromNanos(1));
  EXPECT_EQ(Amount::FromNanos(-1).Sign(), -1);
  EXPECT_EQ(Amount().Sign(), 0);
  EXPECT_EQ(Amount::FromNanos(1).Sign(), 1);
}

}  // namespace
}  // namespace berth::model
