#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "doctor/gather.h"
#include "tests/unit/doctor/fixtures.h"

namespace berth::doctor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Json = nlohmann::json;

constexpr const char* kCreate = "POST /api/v1/namespaces/team/pods?dryRun=All";

TEST(TryPod, TellsWhatWasHeardAndWhatWasWritten) {
  ScriptedTransport transport;
  transport.Script(kCreate,
                   {.status = 201,
                    .body = R"({"metadata":{"annotations":{"berth.dev/created-by":"me"}}})",
                    .warnings = {R"(299 - "berth: limits added")"}});
  const auto trial = TryPod(transport, "team");
  ASSERT_TRUE(trial.ok()) << trial.status();
  EXPECT_EQ(trial->refusal, "");
  EXPECT_THAT(trial->annotations, ElementsAre("berth.dev/created-by"));
  EXPECT_THAT(trial->warnings, ElementsAre(R"(299 - "berth: limits added")"));
  const Json pod = Json::parse(transport.bodies.front());
  EXPECT_EQ(pod.at("kind"), "Pod");
  EXPECT_FALSE(pod.at("spec").at("containers").at(0).contains("resources"));
}

TEST(TryPod, ARefusalIsAnAnswerAndAMissingRightIsNone) {
  ScriptedTransport transport;
  transport.Script(kCreate, {.status = 500, .body = R"({"message":"failed calling webhook"})"});
  EXPECT_EQ(TryPod(transport, "team")->refusal, "failed calling webhook");
  transport.Script(kCreate, Forbidden("exceeded quota: pods"));
  EXPECT_EQ(TryPod(transport, "team")->refusal, "exceeded quota: pods");
  transport.Script(kCreate, {.status = 502, .body = "<html>"});
  EXPECT_EQ(TryPod(transport, "team")->refusal, "no reason was given");
  transport.Script(kCreate, Forbidden("pods is forbidden: User \\\"me\\\" cannot create resource "
                                      "\\\"pods\\\" in API group"));
  const auto denied = TryPod(transport, "team");
  EXPECT_TRUE(absl::IsPermissionDenied(denied.status()));
  EXPECT_EQ(denied.status().message(), "no right to create pods in namespace team");
}

class FilterTrialTest : public ::testing::Test {
 protected:
  absl::StatusOr<FilterTrial> Try(const std::vector<model::Node>& nodes,
                                  const std::string& accelerator = "") {
    return TryFilter({.transport = &transport_, .url = "https://e", .accelerator = accelerator},
                     nodes, rules_.catalog);
  }

  ScriptedTransport transport_;
  const DefaultRules rules_;
};

TEST_F(FilterTrialTest, AsksAboutTheNodesWithDevices) {
  transport_.Script("POST /filter",
                    R"({"NodeNames":["v100-1"],"FailedNodes":{},"FailedAndUnresolvableNodes":null,)"
                    R"("Error":""})");
  const auto trial = Try({GpuNode("v100-1"), CpuNode("cpu-1"), GpuNode("v100-2")});
  ASSERT_TRUE(trial.ok()) << trial.status();
  EXPECT_EQ(trial->asked, 2U);
  EXPECT_EQ(trial->fit, 1U);
  EXPECT_EQ(trial->error, "");
  const Json args = Json::parse(transport_.bodies.front());
  EXPECT_EQ(args.at("NodeNames"), (Json{"v100-1", "v100-2"}));
  const Json& container = args.at("Pod").at("spec").at("containers").at(0);
  EXPECT_EQ(container.at("resources").at("limits").at("nvidia.com/gpu"), "1");
}

TEST_F(FilterTrialTest, AsksAboutTheNodesOfAnAccelerator) {
  transport_.Script("POST /filter", R"({"NodeNames":["a100-1"],"Error":""})");
  model::Node a100 = GpuNode("a100-1");
  a100.labels = {{"nvidia.com/gpu.product", "NVIDIA-A100-SXM4-40GB"}};
  ASSERT_TRUE(Try({GpuNode("v100-1"), a100}, "A100").ok());
  const Json args = Json::parse(transport_.bodies.front());
  EXPECT_EQ(args.at("NodeNames"), Json{"a100-1"});
  const auto none = Try({GpuNode("v100-1")}, "MN-Core");
  EXPECT_EQ(none.status().message(), "no node has accelerator MN-Core to ask the extender about");
}

TEST_F(FilterTrialTest, CountsRefusalsOfBothKinds) {
  transport_.Script("POST /filter", R"({"NodeNames":[],"FailedNodes":{"v100-1":"a"},)"
                                    R"("FailedAndUnresolvableNodes":{"v100-2":"b"}})");
  EXPECT_EQ(Try({GpuNode("v100-1"), GpuNode("v100-2")})->refused, 2U);
}

TEST_F(FilterTrialTest, WhateverKeepsItFromAnsweringIsTheAnswer) {
  EXPECT_THAT(Try({GpuNode("v100-1")})->error, HasSubstr("POST /filter: 404: not there"));
  transport_.Script("POST /filter", "<html>");
  EXPECT_THAT(Try({GpuNode("v100-1")})->error, HasSubstr("the text is not JSON"));
  transport_.Script("POST /filter", R"({"Error":"not synced"})");
  EXPECT_EQ(Try({GpuNode("v100-1")})->error, "not synced");
  transport_.failure = absl::UnavailableError("connection refused");
  EXPECT_THAT(Try({GpuNode("v100-1")})->error, HasSubstr("connection refused"));
}

TEST_F(FilterTrialTest, NeedsANodeToAskAbout) {
  EXPECT_TRUE(absl::IsNotFound(Try({CpuNode("cpu-1")}).status()));
}

}  // namespace
}  // namespace berth::doctor
