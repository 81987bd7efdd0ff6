#include "config/writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <tuple>

#include "config/reader.h"
#include "config/schema.h"

namespace berth::config {
namespace {

using testing::HasSubstr;

// What a file says is what its fields' values are.
std::vector<ConfigValue> Values(const BerthConfiguration& config) {
  std::vector<ConfigValue> values;
  for (const ConfigField& field : Describe(config)) values.push_back(field.value);
  return values;
}

void ExpectRoundTrip(const BerthConfiguration& config) {
  const std::string text = WriteConfig(config);
  const ConfigReading reading = ParseConfig(text, "f");
  ASSERT_EQ(yaml::ToString(reading.errors), "") << text;
  EXPECT_EQ(Values(reading.config), Values(config)) << text;
  EXPECT_TRUE(reading.config == config) << text;
}

BerthConfiguration CertifiedConfig() {
  BerthConfiguration config;
  config.extender.tls = {"/c", "/k", ""};
  return config;
}

auto& HealthOf(BerthConfiguration& config) {
  using Settings = policies::scheduling::PolicySettings<policies::scheduling::HealthPolicy>;
  return std::get<Settings>(config.scheduling.policies.all);
}

TEST(WriteConfig, WritesDefaultsThatAreReadBack) { ExpectRoundTrip(CertifiedConfig()); }

TEST(WriteConfig, WritesEveryFieldThatIsReadBack) {
  BerthConfiguration config;
  config.prefix = "a.example.org";
  config.kubernetes = {"/k: v", "#1"};
  config.extender = {"localhost:1", {}, true, 1 << 20};
  config.metrics.listen = "[::1]:0";
  config.log.level = LogThreshold::kError;
  config.accelerators = {{.name = "0x10", .resource = "a.org/b", .nodes = {}, .memory = {}},
                         {.name = "true",
                          .resource = "a.org/b",
                          .nodes = {{"l", "it's \"x\\.y\""}, {"l", std::string(100, 'x')}},
                          .memory = model::Quantity::Parse("1.5Gi").value(),
                          .performance = 1.0 / 3,
                          .share = {.cpu = model::Quantity::Parse("3000m").value(),
                                    .memory = model::Quantity::Parse("7G").value()}}};
  HealthOf(config).mode = policies::scheduling::Mode::kObserve;
  HealthOf(config).weight = 0;
  HealthOf(config).config = {.profiles = {policies::scheduling::HealthProfile::kEks,
                                          policies::scheduling::HealthProfile::kPfn},
                             .conditions = {{"A",
                                             policies::scheduling::Effect::kPenalize,
                                             model::Duration{61},
                                             model::Duration{3600},
                                             {"x/*", "y, z", "- [q]: {r}"},
                                             policies::scheduling::BadStatus::kFalse,
                                             model::Duration{0},
                                             model::Duration{3600}}},
                             .unknown_status = policies::scheduling::Effect::kExclude,
                             .stale_after = model::Duration{7200},
                             .keep_for = model::Duration{0},
                             .breaker = {.fraction = 0.1,
                                         .min_nodes = 3,
                                         .action = policies::scheduling::BreakerAction::kPenalize}};
  ExpectRoundTrip(config);
}

TEST(WriteConfig, KeepsAwkwardTexts) {
  for (const char* text :
       {"",   " ",   "a b",       "null",        "~",           "1e3", "yes", "'",
        "\"", "\\",  "'\\",       "a: b",        "a #b",        "&a",  "*a",  "!a",
        "|",  ">",   "%",         "@",           "`",           "{",   "]",   ",",
        "-",  "? a", "tab\there", "line\nbreak", "caf\xc3\xa9", "\x7f"}) {
    BerthConfiguration config = CertifiedConfig();
    config.kubernetes.kubeconfig = text;
    ExpectRoundTrip(config);
  }
}

TEST(WriteConfig, ExplainsEachFieldInLinesOfAHundredColumns) {
  const std::string text = WriteConfig({});
  EXPECT_THAT(text, HasSubstr("# Domain of Berth's labels and annotations.\nprefix: berth.dev\n"));
  EXPECT_THAT(text, HasSubstr("\n  listen: \":8443\"\n"));
  EXPECT_THAT(text, HasSubstr("\n- name: V100\n  resource: nvidia.com/gpu\n  nodes:\n"
                              "  - {label: nvidia.com/gpu.product, matches: '(?i)\\bv100'}\n"));
  EXPECT_THAT(text, HasSubstr("\n#   - label: Name of a node label\n"));
  EXPECT_THAT(text, HasSubstr("\n  profiles: [pfn]\n"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
}

}  // namespace
}  // namespace berth::config
