#include "model/saturating.h"

#include <gtest/gtest.h>

namespace berth::model {
namespace {

using Limits = std::numeric_limits<std::int64_t>;

TEST(SaturatingTest, SumsStopAtTheLimits) {
  EXPECT_EQ(SaturatingAdd(2, -5), -3);
  EXPECT_EQ(SaturatingAdd(Limits::max() - 1, 1), Limits::max());
  EXPECT_EQ(SaturatingAdd(Limits::max(), 1), Limits::max());
  EXPECT_EQ(SaturatingAdd(-1, Limits::min()), Limits::min());
  EXPECT_EQ(SaturatingAdd(Limits::max(), Limits::min()), -1);
}

TEST(SaturatingTest, ProductsStopAtTheLimits) {
  EXPECT_EQ(SaturatingMultiply(-3, 4), -12);
  EXPECT_EQ(SaturatingMultiply(Limits::max(), 0), 0);
  EXPECT_EQ(SaturatingMultiply(std::int64_t{1} << 62, 2), Limits::max());
  EXPECT_EQ(SaturatingMultiply(-2, std::int64_t{1} << 62), Limits::min());
  EXPECT_EQ(SaturatingMultiply(std::int64_t{1} << 62, -4), Limits::min());
  EXPECT_EQ(SaturatingMultiply(Limits::min(), -1), Limits::max());
}

}  // namespace
}  // namespace berth::model
