#include "probe/ecc.h"

#include "fake_node.h"
#include "gtest/gtest.h"
#include "probe/verdict.h"

namespace berth::probe {
namespace {

TEST(EccTest, IsBadAboveTheMaximum) {
  FakeNode node;
  node.AddGpusThatSay("0", "3");
  EXPECT_EQ(node.Run("ecc"), Bad("GPU 0000:86:00.0 has uncorrected ECC errors"));
  node.settings.most = 3;
  EXPECT_EQ(node.Run("ecc"), Well("no uncorrected ECC errors"));
}

TEST(EccTest, IsWellOfGpusWithoutEcc) {
  const FakeNode node;
  node.AddGpusThatSay("[N/A]", "0");
  EXPECT_EQ(node.Run("ecc"), Well("no uncorrected ECC errors"));
}

TEST(EccTest, IsUnknownOfWhatIsNoNumber) {
  const FakeNode node;
  node.AddGpusThatSay("0", "[Unknown Error]");
  EXPECT_EQ(node.Run("ecc"), Unknown("GPU 0000:86:00.0 [Unknown Error]"));
}

}  // namespace
}  // namespace berth::probe
