#include "model/quantity.h"

#include <cstdint>
#include <limits>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace berth::model {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kMaxQuantity = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

struct GoodCase {
  std::string text;
  std::int64_t value;
  std::int64_t milli;
};

void PrintTo(const GoodCase& c, std::ostream* out) { *out << c.text; }

class QuantityGoodTest : public testing::TestWithParam<GoodCase> {};

TEST_P(QuantityGoodTest, HasTheAmountThatKubernetesGivesIt) {
  const auto quantity = Quantity::Parse(GetParam().text);
  ASSERT_TRUE(quantity.ok()) << quantity.status();
  EXPECT_EQ(quantity->Value(), GetParam().value);
  EXPECT_EQ(quantity->MilliValue(), GetParam().milli);
  EXPECT_EQ(quantity->text(), GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(Suffixes, QuantityGoodTest,
                         testing::ValuesIn<GoodCase>({
                             {"0", 0, 0},
                             {"1", 1, 1000},
                             {"1n", 1, 1},
                             {"1u", 1, 1},
                             {"1m", 1, 1},
                             {"500m", 1, 500},
                             {"1500m", 2, 1500},
                             {"2k", 2'000, 2'000'000},
                             {"3M", 3'000'000, 3'000'000'000},
                             {"4G", 4'000'000'000, 4'000'000'000'000},
                             {"5T", 5'000'000'000'000, 5'000'000'000'000'000},
                             {"6P", 6'000'000'000'000'000, 6'000'000'000'000'000'000},
                             {"7E", 7'000'000'000'000'000'000, kMaxQuantity},
                             {"1Ki", 1024, 1'024'000},
                             {"1Mi", 1 << 20, 1'048'576'000},
                             {"40Gi", std::int64_t{40} << 30, 42'949'672'960'000},
                             {"1Ti", std::int64_t{1} << 40, 1'099'511'627'776'000},
                             {"1Pi", std::int64_t{1} << 50, 1'125'899'906'842'624'000},
                             {"1Ei", std::int64_t{1} << 60, kMaxQuantity},
                         }));

INSTANTIATE_TEST_SUITE_P(Numbers, QuantityGoodTest,
                         testing::ValuesIn<GoodCase>({
                             {"+5", 5, 5000},
                             {"-5", -5, -5000},
                             {"007", 7, 7000},
                             {"5.", 5, 5000},
                             {".5", 1, 500},
                             {"-.5", -1, -500},
                             {"1.5Gi", 1'610'612'736, 1'610'612'736'000},
                             {"0.1", 1, 100},
                             {"0.0001", 1, 1},
                             {"0.0000000001", 1, 1},
                             {"1.0000000001", 2, 1001},
                             {"1.00000000000000000000000000000000000001", 2, 1001},
                             {"0.1Ki", 103, 102'400},
                             {"-1.5Ki", -1536, -1'536'000},
                             {"000000000000000000000000000000000000001", 1, 1000},
                             {"1.000000000000000000000000000000000000000", 1, 1000},
                         }));

INSTANTIATE_TEST_SUITE_P(Exponents, QuantityGoodTest,
                         testing::ValuesIn<GoodCase>({
                             {"1e3", 1000, 1'000'000},
                             {"1E3", 1000, 1'000'000},
                             {"1e+3", 1000, 1'000'000},
                             {"1.25e2", 125, 125'000},
                             {"1250e-3", 2, 1250},
                             {"1e-9", 1, 1},
                             {"1e-99", 1, 1},
                             {"0e99", 0, 0},
                             {"12345e-2147483648", 1, 1},
                             {"1e2147483647", kMaxQuantity, kMaxQuantity},
                             {"0e2147483647", 0, 0},
                             {"1e4294967299", 1000, 1'000'000},  // the exponent's low 32 bits
                         }));

INSTANTIATE_TEST_SUITE_P(Limits, QuantityGoodTest,
                         testing::ValuesIn<GoodCase>({
                             {"9223372036854775807", kMaxQuantity, kMaxQuantity},
                             {"9223372036854775808", kMaxQuantity, kMaxQuantity},
                             {"-9223372036854775808", -kMaxQuantity, kMin},
                             {"99999999999999999999999999999999999999", kMaxQuantity, kMaxQuantity},
                             {"8Ei", kMaxQuantity, kMaxQuantity},
                             {"-8Ei", -kMaxQuantity, kMin},
                             {"7.999999999999999999999Ei", kMaxQuantity, kMaxQuantity},
                             {"9223372036854775", 9223372036854775, 9223372036854775000},
                             {"9223372036854776", 9223372036854776, kMaxQuantity},
                         }));

INSTANTIATE_TEST_SUITE_P(NoDigits, QuantityGoodTest,
                         testing::ValuesIn<GoodCase>({
                             {"+", 0, 0},
                             {"-", 0, 0},
                             {".", 0, 0},
                             {"Ki", 0, 0},
                             {"Ti", 0, 0},
                             {"m", 0, 0},
                             {"e5", 0, 0},
                             {"e-9", 0, 0},
                         }));

class QuantityBadTest : public testing::TestWithParam<std::string> {};

TEST_P(QuantityBadTest, IsRefused) {
  const auto quantity = Quantity::Parse(GetParam());
  ASSERT_FALSE(quantity.ok());
  EXPECT_EQ(quantity.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(quantity.status().message()), HasSubstr("is not a quantity"));
}

INSTANTIATE_TEST_SUITE_P(All, QuantityBadTest,
                         testing::Values("", " ", "1 ", " 1", "1 Gi", "abc", "0x10", "1_000", "1,5",
                                         "1..5", "1.5.5", "--1", "+-1", "1e3Ki", "1Ki3", "1KiB",
                                         "1gb", "1g", "1K", "1ki", "1i", "1mm", "1e", "1e+", "1e-",
                                         "1e+-5", "1e 5", "1e1.5", "1m5", "1+5",
                                         "1e9223372036854775808", "Pi", "-Ei", "e-10", ".e-10",
                                         "+e-10", "1\n", "\xff", "NaN", "inf",
                                         std::string("1\0", 2)));

TEST(QuantityTest, SaysWhatIsWrongAndWhatToWrite) {
  const absl::Status status = Quantity::Parse("1e3Ki").status();
  EXPECT_EQ(std::string(status.message()),
            "\"1e3Ki\" is not a quantity: what follows the number is neither suffix nor exponent; "
            "write a number with at most one suffix (n u m k M G T P E Ki Mi Gi Ti Pi Ei) or "
            "exponent, such as \"500m\", \"40Gi\" or \"1e3\"");
}

TEST(QuantityTest, ErrorsDoNotRepeatEndlessText) {
  const absl::Status status = Quantity::Parse(std::string(100'000, 'x')).status();
  EXPECT_LT(status.message().size(), 300U);
}

TEST(QuantityTest, ReadsMillionsOfDigits) {
  std::string text = "0." + std::string(1'000'000, '0') + "1Ei";
  EXPECT_EQ(Quantity::Parse(text)->MilliValue(), 1);
  text = std::string(1'000'000, '9');
  EXPECT_EQ(Quantity::Parse(text)->Value(), kMaxQuantity);
}

TEST(QuantityTest, ComparesAmountsAndNotTexts) {
  EXPECT_EQ(*Quantity::Parse("1Gi"), *Quantity::Parse("1024Mi"));
  EXPECT_EQ(*Quantity::Parse("0.5"), *Quantity::Parse("500m"));
  EXPECT_LT(*Quantity::Parse("1G"), *Quantity::Parse("1Gi"));
  EXPECT_EQ(Quantity().text(), "0");
  EXPECT_EQ(Quantity(), *Quantity::Parse("0"));
}

TEST(QuantityTest, IsWrittenAsPeopleWriteIt) {
  const std::vector<std::pair<std::int64_t, std::string>> cores = {
      {0, "0"},        {1, "1m"},   {100, "100m"},
      {3900, "3900m"}, {8000, "8"}, {kMaxQuantity, "9223372036854775807m"}};
  for (const auto& [milli, text] : cores) {
    EXPECT_EQ(Quantity::OfMilli(milli).text(), text);
    EXPECT_EQ(Quantity::OfMilli(milli), *Quantity::Parse(text)) << text;
  }
  const std::vector<std::pair<std::int64_t, std::string>> bytes = {
      {0, "0"},
      {1000, "1000"},
      {1024, "1Ki"},
      {std::int64_t{1536} << 20, "1536Mi"},
      {std::int64_t{80} << 30, "80Gi"},
      {std::int64_t{4} << 60, "4Ei"},
      {kMaxQuantity, "9223372036854775807"}};
  for (const auto& [amount, text] : bytes) {
    EXPECT_EQ(Quantity::OfBytes(amount).text(), text);
    EXPECT_EQ(Quantity::OfBytes(amount), *Quantity::Parse(text)) << text;
  }
}

TEST(QuantityTest, HasASign) {
  EXPECT_EQ(Quantity::Parse("-1n")->Sign(), -1);
  EXPECT_EQ(Quantity::Parse("-0")->Sign(), 0);
  EXPECT_EQ(Quantity::Parse("1n")->Sign(), 1);
}

}  // namespace
}  // namespace berth::model
