#include "cli/chart_objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/integration/test_pki.h"
#include "tests/unit/doctor/fixtures.h"

namespace berth::cli {
namespace {

using doctor::ScriptedTransport;
using ::testing::HasSubstr;

constexpr const char* kMaps = "GET /api/v1/namespaces/berth-system/configmaps/";

std::string MapOf(const std::string& yaml) { return R"({"data":{"config.yaml":")" + yaml + "\"}}"; }

class ChartObjects : public ::testing::Test {
 protected:
  ScriptedTransport transport_;
  kube::Api api_{&transport_};
  ChartOptions options_;
};

TEST_F(ChartObjects, ConfigurationIsThatOfTheConfigMap) {
  transport_.Script(std::string(kMaps) + "berth",
                    MapOf(R"(apiVersion: config.berth.dev/v1alpha1\nkind: BerthConfiguration\n)"
                          R"(prefix: example.org\n)"));
  const auto config = LoadChartConfig(options_, api_);
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->prefix, "example.org");
}

TEST_F(ChartObjects, ReleasesWithoutTheNameGetIt) {
  options_.release = "ml";
  transport_.Script(std::string(kMaps) + "ml-berth-scheduler",
                    MapOf(R"(kind: KubeSchedulerConfiguration\npercentageOfNodesToScore: 100\n)"));
  const auto config = LoadSchedulerConfig(options_, api_);
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->percentage, 100);
  EXPECT_TRUE(config->from_chart);
  EXPECT_EQ(config->source, "ConfigMap ml-berth-scheduler");
}

TEST_F(ChartObjects, WhatIsMissingSaysWhatToGiveInstead) {
  EXPECT_EQ(LoadChartConfig(options_, api_).status().message(),
            "there is no ConfigMap berth in namespace berth-system; give --namespace and --release "
            "of the Helm release, or --config FILE");
  EXPECT_EQ(LoadSchedulerConfig(options_, api_).status().message(),
            "there is no ConfigMap berth-scheduler in namespace berth-system; give "
            "--scheduler-config FILE, the configuration of your own kube-scheduler");
  transport_.Script(std::string(kMaps) + "berth-scheduler", doctor::Forbidden());
  EXPECT_THAT(std::string(LoadSchedulerConfig(options_, api_).status().message()),
              HasSubstr("no right to get configmaps in namespace berth-system; give"));
}

TEST_F(ChartObjects, MistakesHaveTheirLine) {
  transport_.Script(std::string(kMaps) + "berth",
                    MapOf(R"(apiVersion: config.berth.dev/v1alpha1\nkind: BerthConfiguration\n)"
                          R"(prefx: a\n)"));
  const auto config = LoadChartConfig(options_, api_);
  EXPECT_TRUE(absl::IsInvalidArgument(config.status()));
  EXPECT_THAT(std::string(config.status().message()), HasSubstr("ConfigMap berth:3: prefx"));
}

TEST(SchedulerConfigFile, IsOneDocumentOfThatKind) {
  const berth::tests::TempDir folder;
  const std::pair<const char*, const char*> cases[] = {
      {"", "is not one KubeSchedulerConfiguration"},
      {"a\n", "is not one KubeSchedulerConfiguration"},
      {"kind: KubeSchedulerConfiguration\n---\nkind: Pod\n", "is not one"},
      {"kind: Pod\n", "is no KubeSchedulerConfiguration, but a \"Pod\""},
      {"extenders: [", "is not YAML"},
  };
  for (const auto& [text, error] : cases) {
    const auto config = LoadSchedulerConfig(folder.Write("scheduler.yaml", text));
    EXPECT_TRUE(absl::IsInvalidArgument(config.status())) << text;
    EXPECT_THAT(std::string(config.status().message()), HasSubstr(error));
  }
  EXPECT_THAT(std::string(LoadSchedulerConfig("/nonexistent").status().message()),
              HasSubstr("/nonexistent: cannot be read"));
}

}  // namespace
}  // namespace berth::cli
