#include "model/accelerator_memory.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace berth::model {
namespace {

constexpr std::int64_t kGibi = std::int64_t{1} << 30;

const AcceleratorCatalog& Catalog() {
  static const AcceleratorCatalog catalog =
      AcceleratorCatalog::Make(AcceleratorCatalog::Defaults()).value();
  return catalog;
}

std::optional<std::int64_t> Reported(std::int64_t mebibytes) {
  return GreatestMemoryMinimum({.memory_mebibytes = mebibytes, .count = {}},
                               AcceleratorCatalog::kNone, Catalog());
}

TEST(ParseMemoryMinimum, ReadsSizesAsPeopleWriteThem) {
  EXPECT_EQ(*ParseMemoryMinimum("40Gi"), 40 * kGibi);
  EXPECT_EQ(*ParseMemoryMinimum(" 24.5Gi "), 49 * kGibi / 2);
  EXPECT_EQ(*ParseMemoryMinimum("40G"), 40'000'000'000);
  EXPECT_EQ(*ParseMemoryMinimum("1048576001m"), 1'048'577);  // what is less than a byte is one
  EXPECT_EQ(*ParseMemoryMinimum("64Pi"), std::int64_t{1} << 56);
}

TEST(ParseMemoryMinimum, SaysWhatIsWrong) {
  for (const char* text : {"", " ", "0", "-1Gi", "40", "1m", "40GB", "much", "1e3Ki", "16Ei"}) {
    EXPECT_FALSE(ParseMemoryMinimum(text).ok()) << text;
  }
  EXPECT_EQ(ParseMemoryMinimum(" -1Gi").status().message(),
            "must be from 1Mi to 64Pi, got \"-1Gi\"; write a size such as \"40Gi\"");
  EXPECT_EQ(
      ParseMemoryMinimum("40").status().message(),
      "must be from 1Mi to 64Pi, got \"40\"; without a suffix it is bytes; did you mean 40Mi or "
      "40Gi?");
}

// 40 GB of an A100 are reported as 39,538 MiB.
TEST(GreatestMemoryMinimum, OfALabelIsAnHundredNinetyThirds) {
  EXPECT_EQ(Reported(93), 100 << 20);
  EXPECT_GE(Reported(39'538), 40 * kGibi);
  EXPECT_LT(Reported(39'538), 42 * kGibi);
  EXPECT_EQ(Reported(1), (100 << 20) / 93);
  EXPECT_GT(Reported(std::numeric_limits<std::int64_t>::max()), std::int64_t{1} << 56);
}

TEST(GreatestMemoryMinimum, WithoutALabelIsThatOfTheCatalogue) {
  const auto of = [](std::string_view name) {
    return GreatestMemoryMinimum({}, Catalog().IndexOf(name), Catalog());
  };
  EXPECT_EQ(of("A100"), 40 * kGibi);
  EXPECT_EQ(of("MN-Core"), std::nullopt);
  EXPECT_EQ(of("P100"), std::nullopt);
  // What the node has counts, and not what others of its model have.
  const GpuLabels small{.memory_mebibytes = 16'384, .count = {}};
  EXPECT_LT(GreatestMemoryMinimum(small, Catalog().IndexOf("V100"), Catalog()), 18 * kGibi);
}

TEST(WholeGibibytes, KeepsTheOrder) {
  const std::vector<std::int64_t> sizes = {
      1,          kGibi - 1,      kGibi,
      kGibi + 1,  40 * kGibi,     41 * kGibi - 1,
      41 * kGibi, 42 * kGibi - 1, std::numeric_limits<std::int64_t>::max()};
  for (const std::int64_t minimum : sizes) {
    for (const std::int64_t met : sizes) {
      const bool meets = WholeGibibytes(met) >= WholeGibibytes(minimum);
      if (met >= minimum) {
        EXPECT_TRUE(meets) << met << " " << minimum;
      }
      if (minimum % kGibi == 0) {
        EXPECT_EQ(meets, met >= minimum) << met << " " << minimum;
      }
    }
  }
}

}  // namespace
}  // namespace berth::model
