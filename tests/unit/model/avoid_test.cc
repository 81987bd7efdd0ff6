#include "model/avoid.h"

#include <chrono>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace berth::model {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Time kTime{Duration{1'769'860'800}};  // 2026-01-31T12:00:00Z

TEST(Avoided, ReadsWhatItWrites) {
  const std::vector<Avoided> entries = {{"a-1", kTime}, {"b-2", kTime + std::chrono::hours(1)}};
  const std::string text = "a-1=2026-01-31T12:00:00Z,b-2=2026-01-31T13:00:00Z";
  EXPECT_EQ(AvoidedText(entries), text);
  EXPECT_EQ(ParseAvoided(text), entries);
  EXPECT_EQ(AvoidedText({}), "");
}

TEST(Avoided, FindsOneOwner) {
  const std::string text = " a-1=2026-01-31T12:00:00Z , b-2=2026-01-31T13:00:00+01:00";
  EXPECT_EQ(AvoidedUntil(text, "a-1"), kTime);
  EXPECT_EQ(AvoidedUntil(text, "b-2"), kTime);
  EXPECT_EQ(AvoidedUntil(text, "a"), std::nullopt);
  EXPECT_EQ(AvoidedUntil(text, ""), std::nullopt);
}

TEST(Avoided, LeavesOutWhatCannotBeRead) {
  EXPECT_THAT(ParseAvoided("x, =2026-01-31T12:00:00Z,y=,z=tomorrow,,a=2026-01-31T12:00:00Z"),
              ElementsAre(Avoided{"a", kTime}));
  EXPECT_THAT(ParseAvoided(""), IsEmpty());
}

TEST(Avoided, ReadsNoMoreThanSixteen) {
  std::vector<Avoided> entries;
  for (int i = 0; i < 20; ++i) entries.push_back({std::to_string(i), kTime});
  const std::string text = AvoidedText(entries);
  EXPECT_THAT(ParseAvoided(text), SizeIs(kMostAvoided));
  EXPECT_EQ(AvoidedUntil(text, "15"), kTime);
  EXPECT_EQ(AvoidedUntil(text, "16"), std::nullopt);
}

TEST(TimeFromRfc3339, ReadsOnlyRfc3339) {
  EXPECT_EQ(TimeFromRfc3339("2026-01-31T12:00:00Z"), kTime);
  EXPECT_EQ(TimeFromRfc3339("2026-01-31T21:00:00.5+09:00"), kTime);
  for (const char* text : {"", "now", "2026-01-31", "2026-01-31 12:00:00Z", "1769860800",
                           " 2026-01-31T12:00:00Z", "infinite-future", "2026-13-31T12:00:00Z",
                           "9999-12-31T23:30:00-01:00", "0000-01-01T00:30:00+01:00"}) {
    EXPECT_EQ(TimeFromRfc3339(text), std::nullopt) << text;
  }
  for (const char* text : {"9999-12-31T23:59:59Z", "0000-01-01T00:00:00Z"}) {
    EXPECT_EQ(Rfc3339Text(*TimeFromRfc3339(text)), text);
  }
}

}  // namespace
}  // namespace berth::model
