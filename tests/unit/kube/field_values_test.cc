#include "kube/field_values.h"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace berth::kube {
namespace {

using ::testing::HasSubstr;

std::int64_t Seconds(model::Time time) { return time.time_since_epoch().count(); }

TEST(TimeFromTextTest, ReadsRfc3339) {
  const std::vector<std::pair<std::string, std::int64_t>> cases = {
      {"1970-01-01T00:00:00Z", 0},
      {"2026-01-31T12:00:00Z", 1'769'860'800},
      {"2026-01-31T12:00:00.999999Z", 1'769'860'800},
      {"2026-01-31T21:00:00+09:00", 1'769'860'800},
      {"2026-01-31T06:30:00.5-05:30", 1'769'860'800},
      {"2024-02-29T00:00:00Z", 1'709'164'800},
      {"1969-12-31T23:59:59Z", -1},
      {"9999-12-31T23:59:59Z", 253'402'300'799},
  };
  for (const auto& [text, seconds] : cases) {
    EXPECT_EQ(Seconds(TimeFromText(text)), seconds) << text;
  }
}

TEST(TimeFromTextTest, EverythingElseIsNoTime) {
  for (const auto* text :
       {"", "now", "2026-01-31", "2026-01-31T12:00:00", "2026-01-31 12:00:00Z",
        "2026-02-30T12:00:00Z", "2026-13-01T12:00:00Z", "2026-01-31T25:00:00Z", "infinite-future",
        " 2026-01-31T12:00:00Z", "2026-01-31T12:00:00Z ", "20260-01-31T12:00:00Z",
        "-026-01-31T12:00:00Z", "0000-01-01T00:00:00Z", "2026-01-31T12:00:00+9",
        "0001-01-01T00:00:00+09:00", "9999-12-31T23:59:59-09:00"}) {
    EXPECT_EQ(TimeFromText(text), model::kNoTime) << text;
  }
}

TEST(TimeFromSecondsTest, TakesGoZeroTimeAsNoTime) {
  EXPECT_EQ(TimeFromSeconds(-62'135'596'800), model::kNoTime);
  EXPECT_EQ(TimeFromSeconds(-62'135'596'799), model::Time(model::Duration(-62'135'596'799)));
  EXPECT_EQ(TimeFromText("0001-01-01T00:00:00Z"), model::kNoTime);
}

// Go's zero time in a zone of its own is another moment, which no text of RFC 3339 says.
TEST(TimeFromSecondsTest, WhatNoTextCouldSayIsNoTime) {
  using Limits = std::numeric_limits<std::int64_t>;
  for (const std::int64_t seconds :
       {Limits::min(), -62'135'596'801, -62'135'629'200, 253'402'300'800, Limits::max()}) {
    EXPECT_EQ(TimeFromSeconds(seconds), model::kNoTime) << seconds;
  }
}

TEST(AmountFromTextTest, NamesThePath) {
  absl::Status error;
  EXPECT_EQ(AmountFromText("1500m", Path("q"), error).MilliValue(), 1500);
  EXPECT_TRUE(error.ok());
  AmountFromText("1e3Ki", Path("q"), error);
  EXPECT_THAT(std::string(error.message()), HasSubstr("q: \"1e3Ki\" is not a quantity"));
}

TEST(AmountFromTextTest, RefusesLessThanNothing) {
  absl::Status error;
  EXPECT_EQ(AmountFromText("-0", Path("q"), error).Sign(), 0);
  EXPECT_TRUE(error.ok());
  AmountFromText("-1", Path("q"), error);
  EXPECT_EQ(std::string(error.message()), "q: \"-1\" is negative; write 0 or more");
}

TEST(FieldValuesTest, KeepTheFirstError) {
  absl::Status error;
  AmountFromText("first", Path("a"), error);
  AmountFromText("second", Path("b"), error);
  EXPECT_THAT(std::string(error.message()), HasSubstr("a: \"first\""));
}

TEST(ConditionStatusTest, WhatIsNeitherTrueNorFalseIsUnknown) {
  EXPECT_EQ(ConditionStatusFromText("True"), model::ConditionStatus::kTrue);
  EXPECT_EQ(ConditionStatusFromText("False"), model::ConditionStatus::kFalse);
  for (const auto* text : {"Unknown", "", "true", "yes"}) {
    EXPECT_EQ(ConditionStatusFromText(text), model::ConditionStatus::kUnknown) << text;
  }
}

TEST(IsTerminatedTest, GoesByThePhase) {
  EXPECT_TRUE(IsTerminated("Succeeded"));
  EXPECT_TRUE(IsTerminated("Failed"));
  for (const auto* phase : {"", "Pending", "Running", "Unknown"}) {
    EXPECT_FALSE(IsTerminated(phase)) << phase;
  }
}

}  // namespace
}  // namespace berth::kube
