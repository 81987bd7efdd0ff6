#include "probe/verdict.h"

#include <string>

#include "gtest/gtest.h"

namespace berth::probe {
namespace {

TEST(LineTest, KeepsWhatFits) {
  EXPECT_EQ(Line("GPU 0000:3b:00.0 is lost"), "GPU 0000:3b:00.0 is lost");
  EXPECT_EQ(Line(std::string(80, 'x')), std::string(80, 'x'));
}

TEST(LineTest, CutsWhatNodeProblemDetectorWouldCut) {
  const std::string line = Line(std::string(81, 'x'));
  EXPECT_EQ(line, std::string(77, 'x') + "...");
}

TEST(LineTest, IsOneLineOfAscii) { EXPECT_EQ(Line("a\nb\tc\xc3\xa9"), "a?b?c??"); }

}  // namespace
}  // namespace berth::probe
