#include "report/amount_text.h"

#include <gtest/gtest.h>

namespace berth::report {
namespace {

TEST(AmountText, WritesCoresMemoryAndCounts) {
  EXPECT_EQ(CoresText(8000), "8");
  EXPECT_EQ(CoresText(500), "0.5");
  EXPECT_EQ(CoresText(1'204'499), "1,204");
  EXPECT_EQ(MemoryText(0), "0");
  EXPECT_EQ(MemoryText(std::int64_t{80} << 30), "80Gi");
  EXPECT_EQ(MemoryText(std::int64_t{3} << 39), "1.5Ti");
  EXPECT_EQ(ComputeText({.cpu = 1000, .memory = 512}), "1 core, 512");
  EXPECT_EQ(CountText(999), "999");
  EXPECT_EQ(CountText(1000), "1,000");
  EXPECT_EQ(CountText(-1234567), "-1,234,567");
}

}  // namespace
}  // namespace berth::report
