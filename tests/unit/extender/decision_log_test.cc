#include "extender/decision_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace berth::extender {
namespace {

using nlohmann::json;
using testing::SizeIs;

Decision Placement() {
  return {.time = model::Time{model::Duration{1'780'315'200}},
          .pod_namespace = "team",
          .pod_name = "train",
          .pod_uid = "1234",
          .node_resource_version = 4711,
          .pod_resource_version = 4712,
          .verb = Verb::kPrioritize,
          .fitting = 2,
          .refused = {},
          .top = {{"a100-1", 10, 9000}, {"v100-1", 0, 7000}},
          .decided_by = "accelerator"};
}

// The lines that `decisions` leave, asked as the extender asks.
std::vector<json> LinesOf(DecisionLog& log, const std::vector<Decision>& decisions) {
  testing::internal::CaptureStderr();
  for (const Decision& decision : decisions) {
    if (log.Wants()) log.OnDecision(decision);
  }
  std::istringstream text(testing::internal::GetCapturedStderr());
  std::vector<json> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(json::parse(line));
  return lines;
}

TEST(DecisionLog, TellsAPlacement) {
  DecisionLog log;
  const std::vector<json> lines = LinesOf(log, {Placement()});
  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_EQ(lines[0]["level"], "info");
  EXPECT_EQ(lines[0]["msg"], "placement");
  EXPECT_EQ(lines[0]["pod"], "team/train");
  EXPECT_EQ(lines[0]["uid"], "1234");
  EXPECT_EQ(lines[0]["nodeResourceVersion"], 4711);
  EXPECT_EQ(lines[0]["podResourceVersion"], 4712);
  EXPECT_EQ(lines[0]["fitting"], 2);
  EXPECT_EQ(lines[0]["top"],
            json::parse(R"(["a100-1 rank 10 score 9000", "v100-1 rank 0 score 7000"])"));
  EXPECT_EQ(lines[0]["decidedBy"], "accelerator");
  EXPECT_EQ(lines[0]["linesHeldBack"], 0);
}

TEST(DecisionLog, TellsWhyAPodWasRefused) {
  DecisionLog log;
  Decision refused = Placement();
  refused.fitting = 0;
  refused.top.clear();
  refused.refused = {{"health", "node(s) had condition GPUIsLost", 12}};
  const std::vector<json> lines = LinesOf(log, {refused});
  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_EQ(lines[0]["msg"], "no placement");
  EXPECT_EQ(lines[0]["refused"], json::parse(R"(["12 node(s) had condition GPUIsLost"])"));
}

TEST(DecisionLog, LeavesLinesOutWhenThereAreTooMany) {
  DecisionLog log;
  const std::vector<Decision> many(5000, Placement());
  const std::size_t lines = LinesOf(log, many).size();
  EXPECT_GE(lines, 50u);
  EXPECT_LT(lines, many.size());
}

}  // namespace
}  // namespace berth::extender
