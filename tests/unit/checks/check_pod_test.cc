#include "checks/check_pod.h"

#include <nlohmann/json.hpp>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kube/json.h"
#include "tests/unit/checks/fixture.h"

namespace berth::checks {
namespace {

using nlohmann::json;

Order SomeOrder() {
  Order order{.check = VectorAdd(),
              .node = "gpu-1",
              .node_uid = "gpu-1-uid",
              .resource = std::string(kGpu),
              .devices = 8};
  order.check.command = {"/check", "--all"};
  return order;
}

CheckPod Read(const json& pod) {
  kube::JsonParser parser;
  const std::string text = pod.dump();
  absl::Status error;
  const kube::JsonValue value(parser.Parse(text).value(), kube::Path("Pod"), error);
  const CheckPod read = ReadCheckPod(value, kNames);
  EXPECT_TRUE(error.ok()) << error;
  return read;
}

TEST(CheckPodJson, GoesToItsNodeThroughKubeScheduler) {
  const json pod = json::parse(
      PodJson(SomeOrder(), {.scheduler = "berth", .priority_class = "berth-checks"}, kNames, {}));
  const json& spec = pod["spec"];
  EXPECT_FALSE(spec.contains("nodeName"));
  EXPECT_EQ(spec["schedulerName"], "berth");
  EXPECT_EQ(spec["priorityClassName"], "berth-checks");
  EXPECT_EQ(spec["affinity"], json::parse(R"({"nodeAffinity": {
      "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
        {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["gpu-1"]}]}]}}})"));
}

TEST(CheckPodJson, IsBoundByItselfWhereItIsOrderedTo) {
  Order order = SomeOrder();
  order.directly = true;
  const json spec = json::parse(PodJson(order, {}, kNames, {}))["spec"];
  EXPECT_EQ(spec["nodeName"], "gpu-1");
  EXPECT_FALSE(spec.contains("affinity"));
}

TEST(CheckPodJson, GetsAllDevicesAndIsGuaranteedAndRestricted) {
  const json spec = json::parse(PodJson(SomeOrder(), {}, kNames, {}))["spec"];
  const json& container = spec["containers"][0];
  EXPECT_EQ(container["resources"]["limits"],
            json({{"cpu", "1"}, {"memory", "4Gi"}, {"nvidia.com/gpu", "8"}}));
  EXPECT_EQ(container["resources"]["requests"], container["resources"]["limits"]);
  EXPECT_EQ(container["command"], json({"/check", "--all"}));
  EXPECT_EQ(container["securityContext"], json::parse(R"({"allowPrivilegeEscalation": false,
                                                          "capabilities": {"drop": ["ALL"]}})"));
  EXPECT_EQ(spec["securityContext"]["runAsNonRoot"], true);
  EXPECT_EQ(spec["restartPolicy"], "Never");
  EXPECT_EQ(spec["activeDeadlineSeconds"], 120);
}

// As the first process of its PID namespace it would be spared by SIGTERM.
TEST(CheckPodJson, EndsAtOnceWhenItIsDeleted) {
  const json spec = json::parse(PodJson(SomeOrder(), {}, kNames, {}))["spec"];
  EXPECT_EQ(spec["shareProcessNamespace"], true);
  EXPECT_EQ(spec["terminationGracePeriodSeconds"], 1);
}

TEST(CheckPodJson, GoesWithItsOwner) {
  const json pod = json::parse(
      PodJson(SomeOrder(), {}, kNames,
              kube::OwnerReference{
                  .api_version = "v1", .kind = "ConfigMap", .name = "berth", .uid = "berth-uid"}));
  EXPECT_EQ(pod["metadata"]["ownerReferences"][0]["uid"], "berth-uid");
}

TEST(CheckPodJson, ReadsBackWhatItSays) {
  json pod = json::parse(PodJson(SomeOrder(), {}, kNames, {}));
  pod["metadata"]["uid"] = "uid";
  pod["metadata"]["creationTimestamp"] = "2027-01-15T08:00:00Z";
  EXPECT_EQ(Read(pod), (CheckPod{.name = PodName(SomeOrder()),
                                 .uid = "uid",
                                 .check = "vector-add",
                                 .node = "gpu-1",
                                 .node_uid = "gpu-1-uid",
                                 .created = kNow}));
}

struct OutcomeCase {
  std::string name;
  std::string status;
  Outcome outcome;
  bool deleted = false;
};

class Outcomes : public ::testing::TestWithParam<OutcomeCase> {};

TEST_P(Outcomes, AreTold) {
  json pod = json::parse(PodJson(SomeOrder(), {}, kNames, {}));
  pod["status"] = json::parse(GetParam().status);
  if (GetParam().deleted) pod["metadata"]["deletionTimestamp"] = "2027-01-15T08:00:00Z";
  EXPECT_EQ(Read(pod).outcome, GetParam().outcome);
}

constexpr char kExit3[] = R"({"phase": "Failed", "containerStatuses": [
    {"name": "check", "state": {"terminated": {"exitCode": 3, "reason": "Error"}}}]})";

INSTANTIATE_TEST_SUITE_P(
    All, Outcomes,
    ::testing::Values(OutcomeCase{"Waits", R"({"phase": "Pending"})", Outcome::kOpen},
                      OutcomeCase{"Pulls", R"({"phase": "Pending", "containerStatuses": [
            {"name": "check", "state": {"waiting": {"reason": "ImagePullBackOff"}}}]})",
                                  Outcome::kOpen},
                      OutcomeCase{"Runs", R"({"phase": "Running"})", Outcome::kOpen},
                      OutcomeCase{"Passed", R"({"phase": "Succeeded"})", Outcome::kPassed},
                      OutcomeCase{"Failed", kExit3, Outcome::kFailed},
                      OutcomeCase{"SomebodyDeletedIt", kExit3, Outcome::kNotRun, true},
                      OutcomeCase{"NeverStarted", R"({"phase": "Failed", "containerStatuses": [
            {"name": "check", "state": {"terminated": {"exitCode": 128, "reason": "StartError"}}}]})",
                                  Outcome::kNotRun},
                      OutcomeCase{"OutOfMemory", R"({"phase": "Failed", "containerStatuses": [
            {"name": "check", "state": {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}}]})",
                                  Outcome::kNotRun},
                      OutcomeCase{"RefusedByKubelet",
                                  R"({"phase": "Failed", "reason": "UnexpectedAdmissionError"})",
                                  Outcome::kNotRun},
                      OutcomeCase{"TookTooLong",
                                  R"({"phase": "Failed", "reason": "DeadlineExceeded",
            "containerStatuses": [{"name": "check",
              "state": {"terminated": {"exitCode": 143, "reason": "Error"}}}]})",
                                  Outcome::kNotRun},
                      OutcomeCase{"Evicted",
                                  R"({"phase": "Failed", "reason": "Evicted", "containerStatuses": [
            {"name": "check", "state": {"terminated": {"exitCode": 137, "reason": "Error"}}}]})",
                                  Outcome::kNotRun},
                      OutcomeCase{"Preempted", R"({"phase": "Failed", "conditions": [
            {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}],
            "containerStatuses": [{"name": "check",
              "state": {"terminated": {"exitCode": 143, "reason": "Error"}}}]})",
                                  Outcome::kNotRun},
                      OutcomeCase{"NodeLost", R"({"phase": "Failed", "conditions": [
            {"type": "DisruptionTarget", "status": "True", "reason": "DeletionByPodGC"}]})",
                                  Outcome::kNotRun}),
    [](const auto& param_info) { return param_info.param.name; });

TEST(CheckPodJson, TellsWhoIsPreempted) {
  json pod = json::parse(PodJson(SomeOrder(), {}, kNames, {}));
  pod["status"] = json::parse(R"({"phase": "Running", "conditions": [
      {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}]})");
  EXPECT_TRUE(Read(pod).preempted);
}

}  // namespace
}  // namespace berth::checks
