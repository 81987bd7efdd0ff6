#include "cli/idle_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <nlohmann/json.hpp>

namespace berth::cli {
namespace {

using std::chrono::hours;
using testing::HasSubstr;
using usage::Use;

constexpr model::Time kIdleAt{model::Duration(1'780'315'200)};
constexpr char kGpu[] = "nvidia.com/gpu";

IdleFindings Example() {
  return {.time = kIdleAt,
          .config = {},
          .lines = {{.use = {{"nlp", "bert", "alice", "n1", "A100", kGpu, 4, kIdleAt - hours(30)},
                             Use::kPartlyIdle,
                             1,
                             99},
                     .workload = {"Job", "bert", false}},
                    {.use = {{"nlp", "nb-0", "alice", "n1", "A100", kGpu, 2, kIdleAt - hours(240)},
                             Use::kIdle,
                             2,
                             0.4},
                     .workload = {"StatefulSet", "nb", true},
                     .last_used = kIdleAt - hours(72)},
                    {.use = {{"vision", "old", "", "n2", "", kGpu, 1, kIdleAt - hours(500)},
                             Use::kIdle,
                             1,
                             0}},
                    {.use = {{"vision", "cnn", "bob", "n2", "A100", kGpu, 4, kIdleAt - hours(9)},
                             Use::kNoData,
                             0,
                             {}}},
                    {.use = {{"vision", "new", "bob", "n2", "A100", kGpu, 1, kIdleAt - hours(1)},
                             Use::kYoung,
                             0,
                             0}},
                    {.use = {{"vision", "vit", "bob", "n2", "A100", kGpu, 8, kIdleAt - hours(9)},
                             Use::kUsed,
                             0,
                             88}}},
          .looked_back = hours(168)};
}

TEST(IdleText, HasALineForEachPodWithIdleDevices) {
  EXPECT_EQ(
      IdleText(Example()),
      "CREATOR    NAMESPACE  POD   ACCELERATOR     DEVICES  IDLE  PEAK  UNUSED  AGE  WORKLOAD\n"
      "alice      nlp        nb-0  A100            2        2     0 %   3d      10d  notebook "
      "(StatefulSet nb)\n"
      "(unknown)  vision     old   nvidia.com/gpu  1        1     0 %   >7d     20d  -\n"
      "alice      nlp        bert  A100            4        1     99 %  -       30h  Job bert\n"
      "\n"
      "younger than 2h: 1 pod with 1 device: vision/new\n"
      "no data: 1 pod with 4 devices: vision/cnn\n");
}

TEST(IdleText, LeavesUnusedEmptyWhereNobodyCouldTell) {
  IdleFindings findings = Example();
  findings.lines.resize(3);
  findings.lines[1].last_used = model::kNoTime;
  findings.looked_back.reset();
  EXPECT_EQ(
      IdleText(findings),
      "CREATOR    NAMESPACE  POD   ACCELERATOR     DEVICES  IDLE  PEAK  UNUSED  AGE  WORKLOAD\n"
      "alice      nlp        nb-0  A100            2        2     0 %           10d  notebook "
      "(StatefulSet nb)\n"
      "(unknown)  vision     old   nvidia.com/gpu  1        1     0 %           20d  -\n"
      "alice      nlp        bert  A100            4        1     99 %  -       30h  Job bert\n");
}

TEST(IdleText, IsOnlyAHeadWhereNothingIsHeld) {
  EXPECT_EQ(IdleText({.time = kIdleAt}),
            "CREATOR  NAMESPACE  POD  ACCELERATOR  DEVICES  IDLE  PEAK  UNUSED  AGE  WORKLOAD\n");
}

TEST(IdleText, TellsTheNodeAndTheResourceWhereItIsWide) {
  IdleFindings findings = Example();
  findings.lines.resize(2);
  EXPECT_EQ(
      IdleText(findings, {.wide = true}),
      "CREATOR  NAMESPACE  POD   ACCELERATOR  DEVICES  IDLE  PEAK  UNUSED  AGE  RESOURCE      "
      "  NODE  WORKLOAD\n"
      "alice    nlp        nb-0  A100         2        2     0 %   3d      10d  "
      "nvidia.com/gpu  n1    notebook (StatefulSet nb)\n"
      "alice    nlp        bert  A100         4        1     99 %  -       30h  "
      "nvidia.com/gpu  n1    Job bert\n");
}

TEST(IdleText, NamesTheFirstOfManyPodsUnlessItIsWide) {
  IdleFindings findings{.time = kIdleAt};
  for (int i = 10; i < 30; ++i) {
    findings.lines.push_back({.use = {{"vision", "new-" + std::to_string(i), "bob", "n2", "A100",
                                       kGpu, 1, kIdleAt - hours(1)},
                                      Use::kYoung,
                                      0,
                                      0}});
  }
  EXPECT_THAT(IdleText(findings), HasSubstr("20 pods with 20 devices: vision/new-10, "));
  EXPECT_THAT(IdleText(findings), HasSubstr("vision/new-19, ...\n"));
  EXPECT_THAT(IdleText(findings, {.wide = true}), HasSubstr(", vision/new-29\n"));
}

TEST(IdleText, CountsNoMoreDevicesThanFit) {
  IdleFindings findings = Example();
  for (IdleLine& line : findings.lines) {
    line.use.use = Use::kNoData;
    line.use.holding.devices = std::numeric_limits<std::int64_t>::max();
  }
  EXPECT_THAT(IdleText(findings), HasSubstr("no data: 6 pods with 9223372036854775807 devices: "));
}

TEST(IdleText, ColoursWhatNobodyUses) {
  const std::string text = IdleText(Example(), {.terminal = {.colour = true, .width = 80}});
  EXPECT_THAT(text, HasSubstr("\x1b[31m2\x1b[0m     0 %"));
  EXPECT_THAT(text, HasSubstr("\x1b[33m1\x1b[0m     99 %"));
}

TEST(IdleText, FitsATerminalAndKeepsWhatIsCopied) {
  const std::string text = IdleText(Example(), {.terminal = {.width = 95}});
  EXPECT_THAT(text, HasSubstr("  10d  notebook (Statef…\n"));
}

// Anybody may write an annotation.
TEST(IdleText, DoesNotMoveTheCursorOfATerminal) {
  IdleFindings findings = Example();
  findings.lines[0].use.holding.creator = "al\x1b[2Jice\n";
  EXPECT_THAT(IdleText(findings), HasSubstr("\nal [2Jice   nlp"));
  EXPECT_THAT(IdleReport(findings), HasSubstr("Creator: al [2Jice \n"));
}

TEST(IdleReport, HasATextForEachCreator) {
  EXPECT_EQ(IdleReport(Example()),
            "Creator: (unknown), namespace vision\n"
            "Subject: 1 device held and not used\n"
            "\n"
            "In the 2h before 2026-06-01T12:00:00Z, the utilisation of these devices stayed below "
            "5 %:\n"
            "\n"
            "  IDLE  OF  ACCELERATOR     POD         WORKLOAD  PEAK  UNUSED\n"
            "  1     1   nvidia.com/gpu  vision/old  -         0 %   >7d\n"
            "\n"
            "Others wait for devices. Please delete what you do not need any more.\n"
            "\n-- \n\n"
            "Creator: alice\n"
            "Subject: 3 devices held and not used\n"
            "\n"
            "In the 2h before 2026-06-01T12:00:00Z, the utilisation of these devices stayed below "
            "5 %:\n"
            "\n"
            "  IDLE  OF  ACCELERATOR  POD       WORKLOAD                   PEAK  UNUSED\n"
            "  2     2   A100         nlp/nb-0  notebook (StatefulSet nb)  0 %   3d\n"
            "  1     4   A100         nlp/bert  Job bert                   99 %  -\n"
            "\n"
            "Others wait for devices. Please delete what you do not need any more.\n");
}

TEST(IdleJson, HasEveryPodThatHoldsDevices) {
  IdleFindings findings = Example();
  findings.hints = {"Prometheus does not know"};
  const auto json = nlohmann::json::parse(IdleJson(findings));
  EXPECT_EQ(json["hints"], nlohmann::json({"Prometheus does not know"}));
  EXPECT_EQ(json["time"], "2026-06-01T12:00:00Z");
  EXPECT_EQ(json["windowSeconds"], 7200);
  EXPECT_EQ(json["belowPercent"], 5.0);
  ASSERT_EQ(json["pods"].size(), 6u);
  EXPECT_EQ(json["pods"][1], nlohmann::json::parse(R"({
    "namespace": "nlp", "pod": "nb-0", "creator": "alice", "node": "n1", "accelerator": "A100",
    "resource": "nvidia.com/gpu", "devices": 2, "use": "idle", "idleDevices": 2,
    "peakPercent": 0.4, "created": "2026-05-22T12:00:00Z", "lastUsed": "2026-05-29T12:00:00Z",
    "ownerKind": "StatefulSet", "ownerName": "nb", "notebook": true})"));
  EXPECT_EQ(json["pods"][3], nlohmann::json::parse(R"({
    "namespace": "vision", "pod": "cnn", "creator": "bob", "node": "n2", "accelerator": "A100",
    "resource": "nvidia.com/gpu", "devices": 4, "use": "noData", "idleDevices": 0,
    "created": "2026-06-01T03:00:00Z"})"));
}

}  // namespace
}  // namespace berth::cli
