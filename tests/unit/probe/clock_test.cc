#include "probe/clock.h"

#include "fake_node.h"
#include "gtest/gtest.h"
#include "probe/verdict.h"

namespace berth::probe {
namespace {

TEST(ClockTest, IsBadWhileHardwareSlowsAGpuDown) {
  const FakeNode node;
  node.AddGpusThatSay("Not Active", "Active");
  EXPECT_EQ(node.Run("clock"), Bad("GPU 0000:86:00.0 is slowed down by its hardware"));
}

TEST(ClockTest, AsksOlderDriversByTheOlderName) {
  const FakeNode node;
  node.AddGpusThatSay("", "");
  node.NvidiaSmi(R"(case "$*" in
    *clocks_throttle_reasons.hw_slowdown*) echo '00000000:3B:00.0, Not Active';;
    *) echo 'Field "x" is not a valid field to query.'; exit 2;;
  esac)");
  EXPECT_EQ(node.Run("clock"), Well("no GPU is slowed down"));
}

}  // namespace
}  // namespace berth::probe
