#include "usage/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace berth::usage {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> Texts(const std::vector<model::FieldError>& errors) {
  std::vector<std::string> texts;
  for (const model::FieldError& error : errors) texts.push_back(error.path + ": " + error.message);
  return texts;
}

TEST(PrometheusConfig, IsNotNeeded) {
  EXPECT_FALSE(PrometheusConfig().configured());
  EXPECT_THAT(Validate(PrometheusConfig()), IsEmpty());
}

TEST(PrometheusConfig, MayBePlainWithoutCredentials) {
  EXPECT_THAT(Validate(PrometheusConfig{.url = "http://prometheus.monitoring:9090"}), IsEmpty());
  EXPECT_THAT(Validate(PrometheusConfig{.url = "https://example.com/prometheus",
                                        .token_file = "token",
                                        .ca_file = "ca.crt",
                                        .matchers = "cluster=\"east\""}),
              IsEmpty());
}

TEST(PrometheusConfig, SaysWhatIsWrong) {
  EXPECT_THAT(Texts(Validate(PrometheusConfig{.url = "prometheus:9090"})),
              ElementsAre(HasSubstr("prometheus.url: no https:// in front")));
  EXPECT_THAT(Texts(Validate(PrometheusConfig{.url = "http://prometheus:9090", .token_file = "t"})),
              ElementsAre(HasSubstr("prometheus.tokenFile: would be sent")));
  EXPECT_THAT(Texts(Validate(PrometheusConfig{.ca_file = "ca.crt"})),
              ElementsAre(HasSubstr("prometheus.url: is empty")));
  EXPECT_THAT(Texts(Validate(PrometheusConfig{.timeout = std::chrono::seconds(0)})),
              ElementsAre(HasSubstr("prometheus.timeout: must be from 1s to 10m, got 0s")));
  EXPECT_THAT(
      Texts(Validate(PrometheusConfig{.url = "http://prometheus:9090", .matchers = "{a=\"b\"}"})),
      ElementsAre(HasSubstr("prometheus.matchers: has braces")));
}

TEST(IdleConfig, IsValidByDefault) { EXPECT_THAT(Validate(IdleConfig(), {"A100"}), IsEmpty()); }

TEST(IdleConfig, SaysWhatIsWrong) {
  const IdleConfig config{.window = std::chrono::seconds(30),
                          .below = 0,
                          .utilization = {{.accelerators = {"A100", "X"}, .query = ""},
                                          {.accelerators = {"A100"}, .device_labels = {"a-b"}},
                                          {},
                                          {}},
                          .notebooks = {.labels = {"=x", "notebook-name"}}};
  EXPECT_THAT(
      Texts(Validate(config, {"A100"})),
      ElementsAre(HasSubstr("idle.window: must be from 1m to 720h, got 30s"),
                  HasSubstr("idle.below: must be above 0"),
                  HasSubstr("idle.utilization[0].query: is empty"),
                  HasSubstr("idle.utilization[0].accelerators: \"X\" is no entry"),
                  HasSubstr("idle.utilization[1].deviceLabels: \"a-b\" is no label"),
                  HasSubstr("idle.utilization[1].accelerators: \"A100\" is in an item before"),
                  HasSubstr("idle.utilization[3].accelerators: is empty, as in an item before"),
                  HasSubstr("idle.notebooks.labels: \"=x\" is no label")));
}

}  // namespace
}  // namespace berth::usage
