#include "probe/nvidia.h"

#include <string>

#include "fake_node.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "probe/settings.h"
#include "probe/verdict.h"

namespace berth::probe {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(NvidiaTest, KnowsAddresses) {
  for (const char* address : {"00000000:3B:00.0", "0000:3b:00.0", "0001:AF:1F.7"}) {
    EXPECT_TRUE(IsBusId(address)) << address;
  }
  for (const char* other :
       {"", "No", ":::", "3B:00.0", "00000:3B:00.0", "000000000:3B:00.0", "0000:3B:00",
        "0000:3B:00.", "0000:3B:00.00", "0000:3B:0.00", "0000:3B:00:0", "0000.3B.00.0",
        "0000:3G:00.0", "0000:3B:00.0 ", " 0000:3B:00.0", "GPU0000:3B:00.0", "gpu 0000:3B:00.0"}) {
    EXPECT_FALSE(IsBusId(other)) << '"' << other << '"';
  }
}

TEST(NvidiaTest, TakesNoWarningForAnAnswer) {
  const auto reading = ReadAnswer({0,
                                   "WARNING: infoROM is corrupted at gpu 0000:3B:00.0, 1\n"
                                   "  00000000:86:00.0 , No\n"
                                   "Please repair it, Yes\n, 1\n"},
                                  Settings(), IsYes);
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_THAT(*reading,
              ElementsAre(Pair("0000:86:00.0", testing::Field(&GpuAnswer::told, Told::kWell))));
}

TEST(NvidiaTest, IsWellInSpiteOfAWarning) {
  const FakeNode node;
  node.AddGpusThatSay("", "");
  node.NvidiaSmi(
      "echo 'WARNING: infoROM is corrupted at gpu 0000:3B:00.0, 1'; "
      "echo '00000000:3B:00.0, 0'; echo '00000000:86:00.0, 0'");
  EXPECT_EQ(node.Run("remapped-rows"), Well("no row failed to be remapped"));
  EXPECT_EQ(node.Run("ecc"), Well("no uncorrected ECC errors"));
}

TEST(NvidiaTest, IsUnknownIfNvidiaSmiTellsOfNoGpu) {
  const FakeNode node;
  node.AddGpusThatSay("", "");
  const Verdict unknown = Unknown("nvidia-smi tells of no GPU");
  for (const char* script : {"", "echo", "echo 'Segmentation fault, 0'", "echo 0; echo No"}) {
    node.NvidiaSmi(script);
    for (const char* probe : {"pending-page", "ecc", "clock"}) {
      EXPECT_EQ(node.Run(probe), unknown) << probe << ": " << script;
    }
  }
  EXPECT_EQ(node.Run("remapped-rows"), unknown);
  // GPUs that cannot remap rows may be left out.
  node.NvidiaSmi("");
  EXPECT_EQ(node.Run("remapped-rows"), Well("no GPU of the node has this field"));
}

TEST(NvidiaTest, SaysWhatAnExitCodeMeans) {
  EXPECT_EQ(ExplainExit({9, "cannot communicate\n"}), "nvidia-smi: the driver is not loaded (9)");
  EXPECT_EQ(ExplainExit({17, "Failed to initialize NVML\n"}),
            "nvidia-smi: the operating system denies access to the GPUs (17)");
  EXPECT_EQ(ExplainExit({99, "something else\nand more\n"}), "nvidia-smi (99): something else");
}

}  // namespace
}  // namespace berth::probe
