#include "probe/ecc.h"

#include <string>

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

TEST(EccTest, WouldRatherNameABadGpuThanAnUnknownOne) {
  const FakeNode node;
  node.AddGpusThatSay("[GPU is lost]", "3");
  EXPECT_EQ(node.Run("ecc"), Bad("GPU 0000:86:00.0 has uncorrected ECC errors"));
}

TEST(EccTest, IsBadOfAGpuEvenIfNvidiaSmiFailsBecauseOfAnother) {
  const FakeNode node;
  node.AddGpusThatSay("", "");
  const std::string warning = "echo 'WARNING: infoROM is corrupted at gpu 0000:3B:00.0'; exit 14";
  node.NvidiaSmi("echo '00000000:3B:00.0, 0'; echo '00000000:86:00.0, 3'; " + warning);
  EXPECT_EQ(node.Run("ecc"), Bad("GPU 0000:86:00.0 has uncorrected ECC errors"));
  node.NvidiaSmi("echo '00000000:3B:00.0, 0'; echo '00000000:86:00.0, 0'; " + warning);
  EXPECT_EQ(node.Run("ecc"), Unknown("nvidia-smi: the infoROM of a GPU is corrupted (14)"));
}

TEST(EccTest, IsUnknownOfWhatIsNoNumber) {
  const FakeNode node;
  node.AddGpusThatSay("0", "[Unknown Error]");
  EXPECT_EQ(node.Run("ecc"), Unknown("GPU 0000:86:00.0 [Unknown Error]"));
}

}  // namespace
}  // namespace berth::probe
