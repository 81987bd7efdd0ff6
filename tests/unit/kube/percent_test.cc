#include "kube/percent.h"

#include <string>

#include "gtest/gtest.h"

namespace berth::kube {
namespace {

TEST(Percent, EscapesAreDecoded) {
  const struct {
    const char* text;
    const char* plain;
  } cases[] = {
      {"", ""},
      {"plain", "plain"},
      {"p%40ss", "p@ss"},
      {"a+b%2Bc", "a+b+c"},
      {"%25%3a%3A", "%::"},
      {"%e2%82%ac", "\xe2\x82\xac"},
  };
  for (const auto& test : cases) EXPECT_EQ(PercentDecoded(test.text), test.plain) << test.text;
  EXPECT_EQ(PercentDecoded("%00"), std::string(1, '\0'));
}

TEST(Percent, BrokenEscapesAreNone) {
  for (const char* text : {"%", "%4", "a%zz", "%-1", "%0x", "%%41", "%4 1"}) {
    EXPECT_FALSE(PercentDecoded(text)) << text;
  }
}

}  // namespace
}  // namespace berth::kube
