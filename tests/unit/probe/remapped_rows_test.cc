#include "probe/remapped_rows.h"

#include "fake_node.h"
#include "gtest/gtest.h"
#include "probe/verdict.h"

namespace berth::probe {
namespace {

TEST(RemappedRowsTest, IsBadOfAFailure) {
  const FakeNode node;
  node.AddGpusThatSay("0", "1");
  EXPECT_EQ(node.Run("remapped-rows"), Bad("GPU 0000:86:00.0 could not remap a row of its memory"));
}

TEST(RemappedRowsTest, IsWellOfGpusThatCannotRemap) {
  const FakeNode node;
  node.AddGpusThatSay("[N/A]", "[Not Supported]");
  EXPECT_EQ(node.Run("remapped-rows"), Well("no GPU of the node has this field"));
}

TEST(RemappedRowsTest, AsksForTheFailure) {
  const FakeNode node;
  node.AddGpusThatSay("", "");
  node.NvidiaSmi(R"([ "$*" = "--query-remapped-rows=gpu_bus_id,remapped_rows.failure)"
                 R"( --format=csv,noheader,nounits" ] && echo '00000000:3B:00.0, No')");
  EXPECT_EQ(node.Run("remapped-rows"), Well("no row failed to be remapped"));
}

TEST(RemappedRowsTest, IsUnknownIfTheDriverDoesNotKnowTheField) {
  const FakeNode node;
  node.AddGpusThatSay("", "");
  node.NvidiaSmi("echo 'Field \"x\" is not a valid field to query.'");
  EXPECT_EQ(node.Run("remapped-rows"), Unknown("nvidia-smi does not know the field"));
}

}  // namespace
}  // namespace berth::probe
