#include "probe/gpu_lost.h"

#include <chrono>
#include <string>

#include "fake_node.h"
#include "gtest/gtest.h"
#include "probe/verdict.h"

namespace berth::probe {
namespace {

/// A node with two GPUs.
class GpuLostTest : public testing::Test {
 protected:
  GpuLostTest() {
    node_.AddDevice("0000:3b:00.0");
    node_.AddDevice("0000:86:00.0");
    node_.NvidiaSmi("echo 00000000:3B:00.0; echo 00000000:86:00.0");
  }

  Verdict Run() { return node_.Run("gpu-lost"); }

  FakeNode node_;
};

TEST_F(GpuLostTest, IsWellWhenAllAnswer) { EXPECT_EQ(Run(), Well("2 GPUs answer")); }

TEST_F(GpuLostTest, IsBadWhenTheConfigurationReadsAsOnes) {
  node_.Write(FakeNode::Device("0000:86:00.0") + "/config", std::string(64, '\xff'));
  EXPECT_EQ(Run(), Bad("0000:86:00.0 does not answer on the PCI bus"));
}

TEST_F(GpuLostTest, IsBadWhenNvidiaSmiListsFewer) {
  node_.NvidiaSmi("echo 00000000:3B:00.0");
  EXPECT_EQ(Run(), Bad("nvidia-smi lists 1 of 2 GPUs"));
  node_.NvidiaSmi("echo No devices were found; exit 6");
  EXPECT_EQ(Run(), Bad("nvidia-smi lists 0 of 2 GPUs"));
}

TEST_F(GpuLostTest, TakesNoWarningForAGpu) {
  node_.NvidiaSmi("echo 00000000:3B:00.0; echo 'WARNING: a: b'; echo 3B:00.0");
  EXPECT_EQ(Run(), Bad("nvidia-smi lists 1 of 2 GPUs"));
}

TEST_F(GpuLostTest, IsBadWhenThereAreFewerThanExpected) {
  node_.settings.expect = 8;
  EXPECT_EQ(Run(), Bad("2 of 8 accelerators are on the PCI bus"));
  node_.settings.expect = 1;
  EXPECT_EQ(Run(), Well("2 GPUs answer"));
}

TEST_F(GpuLostTest, IsBadWhenNvidiaSmiSaysSo) {
  node_.NvidiaSmi(
      "echo 'Unable to determine the device handle for GPU0000:3B:00.0: GPU is lost.'; exit 0");
  EXPECT_EQ(Run().outcome, Outcome::kBad);
  node_.NvidiaSmi("exit 15");
  EXPECT_EQ(Run(), Bad("nvidia-smi: a GPU has fallen off the bus (15)"));
}

TEST_F(GpuLostTest, IsUnknownWhenNvidiaSmiCannotTell) {
  node_.NvidiaSmi("echo 'cannot communicate with the NVIDIA driver'; exit 9");
  EXPECT_EQ(Run(), Unknown("nvidia-smi: the driver is not loaded (9)"));
  node_.settings.nvidia_smi = "/nowhere/nvidia-smi";
  EXPECT_EQ(Run(), Unknown("nvidia-smi (127): No such file or directory"));
}

TEST_F(GpuLostTest, TakesAHangingDriverForALoss) {
  node_.NvidiaSmi("trap '' TERM; sleep 300");
  node_.settings.timeout = std::chrono::seconds(1);
  EXPECT_EQ(Run(), Bad("nvidia-smi has not ended in 1s"));
}

TEST_F(GpuLostTest, LeavesOutWhatAVirtualMachineHas) {
  node_.AddDevice("0000:af:00.0");
  node_.Link(FakeNode::Device("0000:af:00.0") + "/driver", "../../bus/pci/drivers/vfio-pci");
  EXPECT_EQ(Run(), Well("2 GPUs answer"));
}

TEST_F(GpuLostTest, LeavesOutOtherDevices) {
  node_.AddDevice("0000:00:1f.0", "0x8086", "0x030000");  // of another vendor
  node_.AddDevice("0000:05:00.0", "0x10de", "0x068000");  // an NVSwitch
  EXPECT_EQ(Run(), Well("2 GPUs answer"));
}

TEST_F(GpuLostTest, AsksOnlyTheBusOfOtherVendors) {
  node_.settings.vendor = 0x1eaf;
  node_.AddDevice("0000:05:00.0", "0x1eaf", "0x120000");
  EXPECT_EQ(Run(), Well("1 accelerators on the PCI bus"));
  node_.settings.expect = 4;
  EXPECT_EQ(Run(), Bad("1 of 4 accelerators are on the PCI bus"));
}

TEST(GpuLostWithoutGpuTest, IsWell) {
  const FakeNode node;
  EXPECT_EQ(node.Run("gpu-lost"), Well("no accelerator on the PCI bus"));
}

}  // namespace
}  // namespace berth::probe
