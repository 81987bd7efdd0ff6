#include "doctor/scheduler_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::doctor {
namespace {

using ::testing::HasSubstr;

TEST(SchedulerConfig, IsRead) {
  const auto config = SchedulerConfigFromJson(R"({
    "apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
    "clientConnection": {"qps": 1000, "burst": 2000}, "percentageOfNodesToScore": 50,
    "delayCacheUntilActive": true,
    "profiles": [{"schedulerName": "a", "percentageOfNodesToScore": 100}, {}],
    "extenders": [{"urlPrefix": "https://10.0.0.1:443", "filterVerb": "filter",
      "prioritizeVerb": "prioritize", "preemptVerb": "preempt", "bindVerb": "bind", "weight": 31,
      "enableHTTPS": true, "tlsConfig": {"caData": "UEVN", "caFile": "/ca", "insecure": true,
        "certFile": "/cert"},
      "nodeCacheCapable": true, "ignorable": true,
      "managedResources": [{"name": "nvidia.com/gpu", "ignoredByScheduler": true}]}]})",
                                              "file");
  ASSERT_TRUE(config.ok()) << config.status();
  const SchedulerConfig expected{.source = "file",
                                 .percentage = 50,
                                 .qps = 1000,
                                 .delays_cache = true,
                                 .profiles = {{"a", 100}, {"default-scheduler", std::nullopt}},
                                 .extenders = {{.url_prefix = "https://10.0.0.1:443",
                                                .filter_verb = "filter",
                                                .prioritize_verb = "prioritize",
                                                .preempt_verb = "preempt",
                                                .bind_verb = "bind",
                                                .weight = 31,
                                                .enable_https = true,
                                                .insecure = true,
                                                .ca_data = "PEM",
                                                .ca_file = "/ca",
                                                .shows_certificate = true,
                                                .node_cache_capable = true,
                                                .ignorable = true,
                                                .managed_resources = {{"nvidia.com/gpu", true}}}}};
  EXPECT_EQ(*config, expected);
}

// Beside what kube-scheduler does where nothing is said.
TEST(SchedulerConfig, KnowsTheArgumentsOfPlugins) {
  const struct {
    const char* plugins;
    std::int64_t candidates;
    bool spreads;
  } cases[] = {
      {"[]", 10, true},
      {R"([{"name": "NodeAffinity", "args": {"minCandidateNodesPercentage": 1}}])", 10, true},
      {R"([{"name": "DefaultPreemption", "args": {"minCandidateNodesPercentage": 100}}])", 100,
       true},
      {R"([{"name": "DefaultPreemption", "args": {"minCandidateNodesPercentage": 0}}])", 0, true},
      {R"([{"name": "PodTopologySpread", "args": {"defaultingType": "System"}}])", 10, true},
      {R"([{"name": "PodTopologySpread", "args": {"defaultingType": "List"}}])", 10, false},
      {R"([{"name": "PodTopologySpread", "args": {"defaultingType": "List", "defaultConstraints":
           [{"whenUnsatisfiable": "DoNotSchedule"}]}}])",
       10, false},
      {R"([{"name": "PodTopologySpread", "args": {"defaultingType": "List", "defaultConstraints":
           [{"whenUnsatisfiable": "ScheduleAnyway"}]}}])",
       10, true},
  };
  for (const auto& test : cases) {
    const auto config =
        SchedulerConfigFromJson(R"({"kind": "KubeSchedulerConfiguration", "profiles": [
                                    {"schedulerName": "a", "pluginConfig": )" +
                                    std::string(test.plugins) + "}]}",
                                "file");
    ASSERT_TRUE(config.ok()) << config.status();
    EXPECT_EQ(config->profiles[0].candidate_percentage, test.candidates) << test.plugins;
    EXPECT_EQ(config->profiles[0].spreads_by_default, test.spreads) << test.plugins;
  }
}

TEST(SchedulerConfig, WithoutProfilesHasTheDefaultScheduler) {
  const auto config = SchedulerConfigFromJson(R"({"kind": "KubeSchedulerConfiguration"})", "file");
  ASSERT_TRUE(config.ok());
  ASSERT_EQ(config->profiles.size(), 1U);
  EXPECT_EQ(config->profiles[0].name, "default-scheduler");
  EXPECT_TRUE(config->extenders.empty());
}

TEST(SchedulerConfig, HasKubeSchedulersOwnLimitUnlessItSaysAnother) {
  const std::pair<const char*, double> cases[] = {
      {"{}", 50}, {R"({"qps": 0})", 50}, {R"({"qps": 0.5})", 0.5}, {R"({"qps": -1})", -1}};
  for (const auto& [client, qps] : cases) {
    const auto config = SchedulerConfigFromJson(
        std::string(R"({"kind": "KubeSchedulerConfiguration", "clientConnection": )") + client +
            "}",
        "file");
    ASSERT_TRUE(config.ok()) << config.status();
    EXPECT_EQ(config->qps, qps) << client;
  }
}

TEST(SchedulerConfig, RefusesWhatIsSomethingElse) {
  const std::pair<const char*, const char*> cases[] = {
      {"[", "file: the text is not JSON"},
      {"[]", "file: expected an object"},
      {"{}",
       "file: is no KubeSchedulerConfiguration, but has no kind; give the file that "
       "kube-scheduler is started with by --config"},
      {R"({"kind":"Pod"})", "but a \"Pod\""},
      {R"({"kind":"KubeSchedulerConfiguration","extenders":[{"weight":"31"}]})",
       "file: extenders[0].weight: expected"},
      {R"({"kind":"KubeSchedulerConfiguration","extenders":[{"tlsConfig":{"caData":"%"}}]})",
       "caData: is not base64; write the PEM file as `base64 -w0 ca.crt` prints it"},
  };
  for (const auto& [json, error] : cases) {
    const auto config = SchedulerConfigFromJson(json, "file");
    EXPECT_TRUE(absl::IsInvalidArgument(config.status())) << json;
    EXPECT_THAT(std::string(config.status().message()), HasSubstr(error));
  }
}

}  // namespace
}  // namespace berth::doctor
