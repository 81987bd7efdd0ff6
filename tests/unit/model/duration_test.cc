#include "model/duration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace berth::model {
namespace {

using testing::HasSubstr;

TEST(ParseDuration, ReadsWhatGoReads) {
  const struct {
    const char* text;
    std::int64_t seconds;
  } cases[] = {
      {"0", 0},
      {"0s", 0},
      {"-0", 0},
      {"10m", 600},
      {"1h30m", 5400},
      {"1.5h", 5400},
      {".5m", 30},
      {"5.s", 5},
      {"+7s", 7},
      {"-7s", -7},
      {"1m1m", 120},
      {"1500ms500ms", 2},
      {"1000000us", 1},
      {"1000000000ns", 1},
      {"0.000000001s999999999ns", 1},
      {"2562047h", 9223369200},
      {"0.00000000000000000000000000000000000000000000000000000000001h", 0},
  };
  for (const auto& test : cases) {
    const auto duration = ParseDuration(test.text);
    ASSERT_TRUE(duration.ok()) << test.text << ": " << duration.status();
    EXPECT_EQ(*duration, Duration{test.seconds}) << test.text;
  }
}

TEST(ParseDuration, SaysWhatToWriteInstead) {
  const struct {
    const char* text;
    const char* problem;
  } cases[] = {
      {"", "is not a duration"},
      {"-", "is not a duration"},
      {"soon", "is not a duration"},
      {".s", "is not a duration"},
      {"10", "is not a duration"},
      {"1h30", "is not a duration"},
      {"10 m", "is not a duration"},
      {"3d", "is not a duration"},
      {"3M", "is not a duration"},
      {"1h-1m", "is not a duration"},
      {"500ms", "is not a whole number of seconds"},
      {"inf", "is not a duration"},
      {"1ns", "is not a whole number of seconds"},
      {"2562048h", "is longer than 292 years"},
      {"9223372037s", "is longer than 292 years"},
      {"2562047h2562047h", "is longer than 292 years"},
      {"99999999999999999999999999999999999999999999999h", "is not a duration"},
  };
  for (const auto& test : cases) {
    const auto duration = ParseDuration(test.text);
    ASSERT_FALSE(duration.ok()) << test.text;
    const std::string message(duration.status().message());
    EXPECT_THAT(message, HasSubstr(test.problem));
    EXPECT_THAT(message, HasSubstr("write a duration such as 10m, 1h30m or 0s"));
  }
}

TEST(FormatDuration, WritesWhatIsRead) {
  const struct {
    std::int64_t seconds;
    const char* text;
  } cases[] = {{0, "0s"},       {1, "1s"},          {60, "1m"},     {600, "10m"},
               {3600, "1h"},    {5400, "1h30m"},    {3601, "1h1s"}, {90, "1m30s"},
               {-90, "-1m30s"}, {86400 * 7, "168h"}};
  for (const auto& test : cases) {
    EXPECT_EQ(FormatDuration(Duration{test.seconds}), test.text);
    EXPECT_EQ(ParseDuration(test.text).value(), Duration{test.seconds});
  }
}

}  // namespace
}  // namespace berth::model
