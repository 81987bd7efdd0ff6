#include "cli/age.h"

#include <gtest/gtest.h>

namespace berth::cli {
namespace {

using model::Duration;
using model::Time;

constexpr Time kAgedAt{Duration{1'800'000'000}};

TEST(FormatAge, HasOneUnit) {
  const struct {
    std::int64_t seconds;
    const char* text;
  } cases[] = {{-5, "0s"},   {0, "0s"},     {119, "119s"},   {120, "2m"},   {7199, "119m"},
               {7200, "2h"}, {10800, "3h"}, {172799, "47h"}, {172800, "2d"}};
  for (const auto& test : cases)
    EXPECT_EQ(FormatAge(kAgedAt - Duration{test.seconds}, kAgedAt), test.text);
}

TEST(FormatSince, IsARangeWhereBothEndsDiffer) {
  EXPECT_EQ(FormatSince(kAgedAt - Duration{10800}, kAgedAt - Duration{10900}, kAgedAt), "since 3h");
  EXPECT_EQ(FormatSince(kAgedAt - Duration{300}, kAgedAt - Duration{10800}, kAgedAt),
            "since 5m to 3h");
}

TEST(FormatTime, IsRfc3339) { EXPECT_EQ(FormatTime(kAgedAt), "2027-01-15T08:00:00Z"); }

}  // namespace
}  // namespace berth::cli
