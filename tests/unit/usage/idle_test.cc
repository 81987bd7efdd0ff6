#include "usage/idle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/unit/usage/fake_prometheus.h"

namespace berth::usage {
namespace {

using std::chrono::hours;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr model::Time kNow{model::Duration(1'780'315'200)};
constexpr char kIdleGpu[] = "nvidia.com/gpu";

Holding Held(const std::string& pod, std::int64_t devices, model::Time created = kNow - hours(3),
             const std::string& accelerator = "A100") {
  return {"nlp", pod, "alice", "n1", accelerator, kIdleGpu, devices, created};
}

struct UseCase {
  const char* what;
  std::int64_t devices;
  std::vector<MeasuredDevice> measured;
  Use use;
  std::int64_t idle = 0;
};

TEST(Use, IsJudgedByTheWholeWindow) {
  const UseCase cases[] = {
      {"all idle", 2, {{0, 1}, {4.9, 1}}, Use::kIdle, 2},
      {"at the limit", 1, {{5, 1}}, Use::kUsed},
      {"one used", 2, {{0, 1}, {90, 1}}, Use::kPartlyIdle, 1},
      {"all used", 2, {{30, 1}, {90, 0.1}}, Use::kUsed},
      {"a short gap", 1, {{0, 0.9}}, Use::kIdle, 1},
      {"the exporter was away", 1, {{0, 0.89}}, Use::kNoData},
      {"one was measured for a part", 2, {{0, 1}, {0, 0.5}}, Use::kNoData},
      {"one was not measured", 2, {{0, 1}}, Use::kNoData},
      {"used, although little was measured", 2, {{50, 0.1}}, Use::kUsed},
      {"nothing", 1, {}, Use::kNoData},
  };
  for (const UseCase& test : cases) {
    const PodUse use = JudgeUse(Held("p", test.devices), &test.measured, {}, kNow);
    EXPECT_EQ(use.use, test.use) << test.what;
    EXPECT_EQ(use.idle_devices, test.idle) << test.what;
  }
  EXPECT_EQ(JudgeUse(Held("p", 1), nullptr, {}, kNow).use, Use::kNoData);
}

TEST(Use, IsNotJudgedOfYoungPods) {
  const std::vector<MeasuredDevice> idle = {{0, 1}};
  EXPECT_EQ(JudgeUse(Held("p", 1, kNow - hours(1)), &idle, {}, kNow).use, Use::kYoung);
  EXPECT_EQ(JudgeUse(Held("p", 1, kNow - hours(2)), &idle, {}, kNow).use, Use::kIdle);
  EXPECT_EQ(JudgeUse(Held("p", 1, model::kNoTime), &idle, {}, kNow).use, Use::kYoung);
  EXPECT_EQ(JudgeUse(Held("p", 1, kNow - hours(1)), &idle, {}, kNow).idle_devices, 0);
}

TEST(Use, HasAPeak) {
  const std::vector<MeasuredDevice> measured = {{0.5, 1}, {3, 1}};
  EXPECT_EQ(JudgeUse(Held("p", 2), &measured, {}, kNow).peak, 3);
  EXPECT_EQ(JudgeUse(Held("p", 2), nullptr, {}, kNow).peak, std::nullopt);
}

TEST(Use, IsMeasuredByAccelerator) {
  const IdleConfig config{
      .utilization = {{.query = "other"}, {.accelerators = {"MN-Core"}, .query = "mncore_busy"}}};
  EXPECT_EQ(MeasuredBy(config, "MN-Core")->query, "mncore_busy");
  EXPECT_EQ(MeasuredBy(config, "A100")->query, "other");
  EXPECT_EQ(MeasuredBy(config, "")->query, "other");
  EXPECT_EQ(MeasuredBy({.utilization = {{.accelerators = {"MN-Core"}}}}, "A100"), nullptr);
}

TEST(Use, IsAskedOncePerQuery) {
  FakePrometheus fake;
  const auto series = [](const std::string& pod, double value) {
    return FakePrometheus::Series({{"namespace", "nlp"}, {"pod", pod}, {"UUID", pod}}, value);
  };
  fake.Answer("count_over_time", series("a", 120) + "," + series("mn", 120));
  fake.Answer("mncore_busy", series("mn", 70));
  fake.Answer("DCGM", series("a", 0));
  const IdleConfig config{
      .utilization = {{}, {.accelerators = {"MN-Core"}, .query = "mncore_busy"}}};
  const auto prometheus = ClientOf(fake);
  const auto uses =
      AskUse(*prometheus, config,
             {Held("a", 1), Held("b", 1), Held("mn", 1, kNow - hours(3), "MN-Core")}, kNow);
  ASSERT_TRUE(uses.ok()) << uses.status();
  ASSERT_THAT(*uses, SizeIs(3));
  EXPECT_EQ((*uses)[0].use, Use::kIdle);
  EXPECT_EQ((*uses)[1].use, Use::kNoData);
  EXPECT_EQ((*uses)[2].use, Use::kUsed);
  EXPECT_THAT(fake.targets, SizeIs(4)) << "peak and coverage of each query";
  ASSERT_TRUE(AskUse(*prometheus, config, {}, kNow).ok());
  EXPECT_THAT(fake.targets, SizeIs(4)) << "nothing is asked of nobody";
}

TEST(Idle, IsSummedUp) {
  const auto use = [](Holding holding, std::int64_t idle) {
    return PodUse{.holding = std::move(holding), .use = Use::kIdle, .idle_devices = idle};
  };
  Holding unknown = Held("c", 1, kNow, "");
  unknown.creator = "";
  EXPECT_THAT(
      CountIdle({use(Held("a", 2), 2), use(Held("b", 2), 1), use(unknown, 1), use(Held("d", 2), 0)},
                1000),
      ElementsAre(DevicesInUse{"alice", "nlp", "A100", 3},
                  DevicesInUse{"(unknown)", "nlp", "none", 1}));
}

}  // namespace
}  // namespace berth::usage
