#include "cli/capacity_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "cli/output.h"
#include "placement/placement_messages.h"

namespace berth::cli {
namespace {

using placement::Capacity;

const Capacity& Example() {
  static const Capacity capacity{
      .time = model::Time{model::Duration{1'780'315'200}},
      .accelerators = {{"V100",
                        "nvidia.com/gpu",
                        {128, 1024, 900, 124},
                        {{"node(s) had condition GPUIsLost", "GPUIsLost", {2, 16, 4, 12}},
                         {"node(s) had condition GPUPendingPage", "GPUPendingPage", {1, 8, 8, 0}}}},
                       {"MN-Core", "preferred.jp/mncore", {1, 0, 0, 0}, {}},
                       {"H100", "nvidia.com/gpu", {}, {}}},
      .unrecognised = {{"nvidia.com/gpu", {1, 8, 3, 5}}}};
  return capacity;
}

TEST(PrintHint, WritesOneLineThatCommandsNoTerminal) {
  testing::internal::CaptureStderr();
  PrintHint("pod x\x1b[8m\nforged cannot be read");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "pod x [8m forged cannot be read\n");
}

TEST(CapacityText, HasALineForEveryAcceleratorThatANodeHas) {
  EXPECT_EQ(CapacityText(ToMessage(Example())),
            "ACCELERATOR  RESOURCE             NODES  TOTAL  USED  FREE  EXCLUDED  WHY\n"
            "V100         nvidia.com/gpu       128    1024   900   124   12        2 GPUIsLost; 1 "
            "GPUPendingPage\n"
            "MN-Core      preferred.jp/mncore  1      0      0     0     0\n"
            "-            nvidia.com/gpu       1      8      3     5     -         not in the "
            "catalogue\n");
}

TEST(CapacityText, WideSaysWhatIsLeftAndNamesTheWholeCatalogue) {
  const std::string text = CapacityText(ToMessage(Example()), {.wide = true});
  EXPECT_THAT(text, testing::HasSubstr("  EXCLUDED  IN-USE  EXCLUDED-NODES  AVAILABLE  WHY\n"));
  EXPECT_THAT(text,
              testing::HasSubstr("  12        87%     3               112        2 GPUIsLost"));
  EXPECT_THAT(text, testing::HasSubstr("\nH100         nvidia.com/gpu       0 "));
}

TEST(CapacityText, CountsNoMoreThanFits) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const placement::DeviceTotals all{1, kMost, kMost, kMost};
  const Capacity capacity{
      .accelerators = {
          {"V100", "nvidia.com/gpu", all, {{"broken", "broken", all}, {"lost", "lost", all}}}}};
  EXPECT_THAT(CapacityText(ToMessage(capacity), {.wide = true}),
              testing::HasSubstr("  9223372036854775807  9223372036854775807  100%    2       "));
}

TEST(CapacityJson, HasEverything) {
  placement::Capacity capacity = Example();
  capacity.hints = {"node odd cannot be read"};
  EXPECT_EQ(nlohmann::json::parse(CapacityJson(ToMessage(capacity))), nlohmann::json::parse(R"({
    "time": "2026-06-01T12:00:00Z",
    "accelerators": [
      {"accelerator": "V100", "resource": "nvidia.com/gpu",
       "nodes": 128, "total": 1024, "used": 900, "free": 124,
       "excluded": [
         {"reason": "node(s) had condition GPUIsLost", "summary": "GPUIsLost",
          "nodes": 2, "total": 16, "used": 4, "free": 12},
         {"reason": "node(s) had condition GPUPendingPage", "summary": "GPUPendingPage",
          "nodes": 1, "total": 8, "used": 8, "free": 0}]},
      {"accelerator": "MN-Core", "resource": "preferred.jp/mncore",
       "nodes": 1, "total": 0, "used": 0, "free": 0, "excluded": []},
      {"accelerator": "H100", "resource": "nvidia.com/gpu",
       "nodes": 0, "total": 0, "used": 0, "free": 0, "excluded": []}],
    "unrecognised": [
      {"resource": "nvidia.com/gpu", "nodes": 1, "total": 8, "used": 3, "free": 5}],
    "hints": ["node odd cannot be read"]})"));
}

}  // namespace
}  // namespace berth::cli
