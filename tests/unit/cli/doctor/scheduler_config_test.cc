#include "cli/doctor/scheduler_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::doctor {
namespace {

using ::testing::HasSubstr;

TEST(SchedulerConfig, IsRead) {
  const auto config = SchedulerConfigFromJson(R"({
    "apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
    "percentageOfNodesToScore": 50,
    "profiles": [{"schedulerName": "a", "percentageOfNodesToScore": 100}, {}],
    "extenders": [{"urlPrefix": "https://10.0.0.1:443", "filterVerb": "filter",
      "prioritizeVerb": "prioritize", "preemptVerb": "preempt", "bindVerb": "bind", "weight": 31,
      "enableHTTPS": true, "tlsConfig": {"caData": "UEVN", "caFile": "/ca", "insecure": true},
      "nodeCacheCapable": true, "ignorable": true,
      "managedResources": [{"name": "nvidia.com/gpu", "ignoredByScheduler": true}]}]})",
                                              "file");
  ASSERT_TRUE(config.ok()) << config.status();
  const SchedulerConfig expected{.source = "file",
                                 .percentage = 50,
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
                                                .node_cache_capable = true,
                                                .ignorable = true,
                                                .managed_resources = {{"nvidia.com/gpu", true}}}}};
  EXPECT_EQ(*config, expected);
}

TEST(SchedulerConfig, WithoutProfilesHasTheDefaultScheduler) {
  const auto config = SchedulerConfigFromJson(R"({"kind": "KubeSchedulerConfiguration"})", "file");
  ASSERT_TRUE(config.ok());
  ASSERT_EQ(config->profiles.size(), 1U);
  EXPECT_EQ(config->profiles[0].name, "default-scheduler");
  EXPECT_TRUE(config->extenders.empty());
}

TEST(SchedulerConfig, RefusesWhatIsSomethingElse) {
  const std::pair<const char*, const char*> cases[] = {
      {"[", "file: the text is not JSON"},
      {"[]", "file: expected an object"},
      {"{}",
       "file: is no KubeSchedulerConfiguration, but has no kind; give the file that "
       "kube-scheduler is started with by --config"},
      {R"({"kind":"Pod"})", "but a Pod"},
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
