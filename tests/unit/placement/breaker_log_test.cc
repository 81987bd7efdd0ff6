#include "placement/breaker_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/unit/policies/fixtures.h"

namespace berth::placement {
namespace {

using nlohmann::json;
using policies::scheduling::Breaker;
using policies::scheduling::BreakerAction;
using testing::IsEmpty;
using testing::SizeIs;

class BreakerLogTest : public testing::Test {
 protected:
  static Breaker Of(std::string_view accelerator, std::string condition, bool tripped) {
    return {.accelerator = policies::scheduling::Catalog()->IndexOf(accelerator),
            .condition = std::move(condition),
            .tripped = tripped,
            .nodes = 42,
            .affected = tripped ? 30u : 3u};
  }

  std::vector<json> LinesOf(const std::vector<Breaker>& breakers,
                            BreakerAction action = BreakerAction::kAlert) {
    testing::internal::CaptureStderr();
    log_.Update(breakers, *policies::scheduling::Catalog(), action);
    std::istringstream text(testing::internal::GetCapturedStderr());
    std::vector<json> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(json::parse(line));
    return lines;
  }

  BreakerLog log_;
};

TEST_F(BreakerLogTest, TellsOfTripsAndResetsOnce) {
  EXPECT_THAT(LinesOf({Of("A30", "GPUIsLost", false)}), IsEmpty());
  const auto trip = LinesOf({Of("A30", "GPUIsLost", true)});
  ASSERT_THAT(trip, SizeIs(1));
  EXPECT_EQ(trip[0]["level"], "warning");
  EXPECT_EQ(trip[0]["accelerator"], "A30");
  EXPECT_EQ(trip[0]["condition"], "GPUIsLost");
  EXPECT_EQ(trip[0]["affectedNodes"], 30);
  EXPECT_EQ(trip[0]["nodes"], 42);
  EXPECT_EQ(trip[0]["effect"], "unchanged, because health.breaker.action is Alert");
  EXPECT_THAT(LinesOf({Of("A30", "GPUIsLost", true)}), IsEmpty());
  const auto reset = LinesOf({Of("A30", "GPUIsLost", false)});
  ASSERT_THAT(reset, SizeIs(1));
  EXPECT_EQ(reset[0]["level"], "info");
  EXPECT_THAT(LinesOf({Of("A30", "GPUIsLost", false)}), IsEmpty());
  EXPECT_THAT(LinesOf({Of("A30", "GPUIsLost", true)}), SizeIs(1));
}

TEST_F(BreakerLogTest, TellsAcceleratorsAndConditionsApart) {
  EXPECT_THAT(LinesOf({Of("A30", "GPUIsLost", true)}), SizeIs(1));
  const auto others = LinesOf({Of("A30", "GPUIsLost", true), Of("V100", "GPUIsLost", true),
                               Of("A30", "DStateProcess", true)},
                              BreakerAction::kPenalize);
  ASSERT_THAT(others, SizeIs(2));
  EXPECT_EQ(others[0]["accelerator"], "V100");
  EXPECT_EQ(others[0]["effect"], "Penalize instead of Exclude");
  EXPECT_EQ(others[1]["condition"], "DStateProcess");
}

TEST_F(BreakerLogTest, ForgetsWhatTheConfigurationDropped) {
  EXPECT_THAT(LinesOf({Of("A30", "GPUIsLost", true)}), SizeIs(1));
  EXPECT_THAT(LinesOf({}), IsEmpty());
  EXPECT_THAT(LinesOf({Of("A30", "GPUIsLost", false)}), IsEmpty());
}

}  // namespace
}  // namespace berth::placement
