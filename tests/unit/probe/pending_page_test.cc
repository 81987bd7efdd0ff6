#include "probe/pending_page.h"

#include <chrono>

#include "fake_node.h"
#include "gtest/gtest.h"
#include "probe/verdict.h"

namespace berth::probe {
namespace {

TEST(PendingPageTest, IsBadOfOneGpu) {
  const FakeNode node;
  node.AddGpusThatSay("No", "Yes");
  EXPECT_EQ(node.Run("pending-page"), Bad("GPU 0000:86:00.0 has pages pending retirement"));
}

TEST(PendingPageTest, CountsFurtherGpus) {
  const FakeNode node;
  node.AddGpusThatSay("Yes", "1");
  EXPECT_EQ(node.Run("pending-page"), Bad("GPU 0000:3b:00.0 has pages pending retirement, 1 more"));
}

TEST(PendingPageTest, IsWellOfAll) {
  const FakeNode node;
  node.AddGpusThatSay("No", "0");
  EXPECT_EQ(node.Run("pending-page"), Well("no page or row is pending"));
}

TEST(PendingPageTest, AsksForRowsWhereThereAreNoPages) {
  const FakeNode node;
  node.AddGpusThatSay("", "");
  node.NvidiaSmi(R"(case "$*" in
    *retired_pages*) echo '00000000:3B:00.0, [N/A]';;
    *--query-remapped-rows=gpu_bus_id,remapped_rows.pending*) echo '00000000:3B:00.0, Yes';;
  esac)");
  EXPECT_EQ(node.Run("pending-page"), Bad("GPU 0000:3b:00.0 has rows pending remapping"));
}

TEST(PendingPageTest, IsWellIfTheDriverKnowsOneOfBoth) {
  const FakeNode node;
  node.AddGpusThatSay("", "");
  node.NvidiaSmi(R"(case "$*" in
    *retired_pages*) echo '00000000:3B:00.0, No';;
    *) echo 'Field "remapped_rows.pending" is not a valid field to query.'; exit 2;;
  esac)");
  EXPECT_EQ(node.Run("pending-page"), Well("no page or row is pending"));
}

TEST(PendingPageTest, IsUnknownIfNobodyCanTell) {
  const FakeNode node;
  node.AddGpusThatSay("", "");
  node.NvidiaSmi("exit 9");
  EXPECT_EQ(node.Run("pending-page"), Unknown("nvidia-smi: the driver is not loaded (9)"));
  node.NvidiaSmi("echo '00000000:3B:00.0, [GPU is lost]'");
  EXPECT_EQ(node.Run("pending-page"), Unknown("GPU 0000:3b:00.0 [GPU is lost]"));
}

TEST(PendingPageTest, IsUnknownIfTheQueryFailsThatCouldTell) {
  const FakeNode node;
  node.AddGpusThatSay("", "");
  node.NvidiaSmi(R"(case "$*" in
    *retired_pages*) echo '00000000:3B:00.0, [N/A]';;
    *) echo 'Unknown Error'; exit 255;;
  esac)");
  EXPECT_EQ(node.Run("pending-page"), Unknown("nvidia-smi (255): Unknown Error"));
  node.NvidiaSmi(R"(case "$*" in
    *retired_pages*) exit 9;;
    *) echo '00000000:3B:00.0, [N/A]';;
  esac)");
  EXPECT_EQ(node.Run("pending-page"), Unknown("nvidia-smi: the driver is not loaded (9)"));
  // One GPU has pages, and the other one would have rows.
  node.NvidiaSmi(R"(case "$*" in
    *retired_pages*) echo '00000000:3B:00.0, No'; echo '00000000:86:00.0, [N/A]';;
    *) exit 9;;
  esac)");
  EXPECT_EQ(node.Run("pending-page"), Unknown("nvidia-smi: the driver is not loaded (9)"));
}

TEST(PendingPageTest, IsWellIfTheOtherQueryTellsOfAll) {
  const FakeNode node;
  node.AddGpusThatSay("", "");
  node.NvidiaSmi(R"(case "$*" in
    *retired_pages*) echo '00000000:3B:00.0, No'; echo '00000000:86:00.0, No';;
    *) exit 255;;
  esac)");
  EXPECT_EQ(node.Run("pending-page"), Well("no page or row is pending"));
}

TEST(PendingPageTest, IsWellOfGpusThatHaveNeither) {
  const FakeNode node;
  node.AddGpusThatSay("[N/A]", "[N/A]");
  EXPECT_EQ(node.Run("pending-page"), Well("no GPU of the node has this field"));
  node.NvidiaSmi(R"(case "$*" in
    *retired_pages*) echo '00000000:3B:00.0, [N/A]';;
    *) echo 'Field "remapped_rows.pending" is not a valid field to query.'; exit 2;;
  esac)");
  EXPECT_EQ(node.Run("pending-page"), Well("no GPU of the node has this field"));
}

TEST(PendingPageTest, TakesTheQueryThatTells) {
  const FakeNode node;
  node.AddGpusThatSay("", "");
  node.NvidiaSmi(R"(case "$*" in
    *retired_pages*) echo '00000000:3B:00.0, [Unknown Error]';;
    *) echo '00000000:3B:00.0, No';;
  esac)");
  EXPECT_EQ(node.Run("pending-page"), Well("no page or row is pending"));
  node.NvidiaSmi(R"(case "$*" in
    *retired_pages*) echo '00000000:3B:00.0, [N/A]';;
    *) echo '00000000:3B:00.0, [Unknown Error]';;
  esac)");
  EXPECT_EQ(node.Run("pending-page"), Unknown("GPU 0000:3b:00.0 [Unknown Error]"));
}

TEST(PendingPageTest, IsUnknownIfNvidiaSmiHangs) {
  FakeNode node;
  node.AddGpusThatSay("", "");
  node.NvidiaSmi("sleep 300");
  node.settings.timeout = std::chrono::seconds(1);
  EXPECT_EQ(node.Run("pending-page"), Unknown("nvidia-smi has not ended in 1s"));
}

TEST(PendingPageTest, IsWellWithoutGpus) {
  EXPECT_EQ(FakeNode().Run("pending-page"), Well("no GPU on the PCI bus"));
}

}  // namespace
}  // namespace berth::probe
