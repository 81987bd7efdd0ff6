#include "probe/npd_config.h"

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "probe/probes.h"

namespace berth::probe {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;

json ConfigOf(const Probe& probe, const PluginOptions& options = {}) {
  return json::parse(PluginConfig(probe, options).value());
}

TEST(NpdConfigTest, HasOneConditionAndSkipsTheInitialStatus) {
  for (const Probe& probe : AllProbes()) {
    const json config = ConfigOf(probe);
    EXPECT_EQ(config["plugin"], "custom");
    EXPECT_EQ(config["pluginConfig"]["skip_initial_status"], true);
    EXPECT_EQ(config["pluginConfig"]["max_output_length"], 80);
    ASSERT_EQ(config["conditions"].size(), 1U);
    ASSERT_EQ(config["rules"].size(), 1U);
    EXPECT_EQ(config["conditions"][0]["type"], probe.condition);
    EXPECT_EQ(config["rules"][0]["condition"], probe.condition);
    EXPECT_EQ(config["rules"][0]["type"], "permanent");
    EXPECT_EQ(config["conditions"][0]["reason"], probe.well_reason);
    EXPECT_EQ(config["conditions"][0]["message"], probe.well_message);
    EXPECT_EQ(config["rules"][0]["reason"], probe.bad_reason);
    EXPECT_NE(config["rules"][0]["reason"], config["conditions"][0]["reason"]);
  }
}

TEST(NpdConfigTest, RunsTheProbeWithItsFlags) {
  const json config =
      ConfigOf(*FindProbe("gpu-lost"), {.program = "/opt/berth",
                                        .interval = std::chrono::seconds(90),
                                        .flags = {{"expect", "8"}, {"timeout", "10s"}}});
  EXPECT_EQ(config["rules"][0]["path"], "/opt/berth");
  EXPECT_THAT(config["rules"][0]["args"],
              ElementsAre("probe", "gpu-lost", "--expect", "8", "--timeout", "10s"));
  EXPECT_EQ(config["pluginConfig"]["invoke_interval"], "1m30s");
}

TEST(NpdConfigTest, GivesTheProbeTimeToSayWhatHangs) {
  // Waiting for another run, and then its own timeout.
  EXPECT_EQ(ConfigOf(*FindProbe("nfs"))["pluginConfig"]["timeout"], "65s");
  EXPECT_EQ(
      ConfigOf(*FindProbe("nfs"), {.flags = {{"timeout", "1500ms"}}})["pluginConfig"]["timeout"],
      "10s");
}

TEST(NpdConfigTest, RefusesFlagsThatTheProbeWouldRefuse) {
  const auto unknown = PluginConfig(*FindProbe("nfs"), {.flags = {{"expect", "8"}}});
  EXPECT_EQ(unknown.status().message(),
            "nfs has no flag --expect; it takes --root --run-dir --timeout");
  EXPECT_FALSE(PluginConfig(*FindProbe("ib"), {.flags = {{"expect", "x"}}}).ok());
  EXPECT_FALSE(ToInterval("0s").ok());
  EXPECT_EQ(ToInterval("60").status().message(),
            "--interval is '60'; write a duration of at least 1s, such as 1m");
}

}  // namespace
}  // namespace berth::probe
