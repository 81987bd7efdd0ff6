#include "cli/doctor_output.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace berth::cli {
namespace {

using doctor::Findings;
using doctor::Severity;

const Findings kFindings = {
    {Severity::kOk, "registered", "it is", ""},
    {Severity::kUnknown, "labels", "no right to list nodes", "ask"},
    {Severity::kUnknown, "shares", "no right to list nodes", "ask"},
    {Severity::kProblem, "weight", "weight is 1", "write weight: 31"},
    {Severity::kNote, "ca", "not looked at", ""},
    {Severity::kProblem, "last", "others come later", "put it last"},
};

TEST(ExitCode, IsThatOfTheWorst) {
  const struct {
    Findings findings;
    int code;
  } cases[] = {
      {{}, 0},
      {doctor::Ok("well"), 0},
      {doctor::Note("so", ""), 0},
      {doctor::Warning("costs", "do"), 1},
      {doctor::Problem("broken", "do"), 1},
      {doctor::Unknown("no right", ""), 2},
  };
  for (const auto& test : cases) EXPECT_EQ(ExitCodeOf(test.findings), test.code);
  Findings both = doctor::Unknown("no right", "");
  doctor::Append(doctor::Problem("broken", "do"), both);
  EXPECT_EQ(ExitCodeOf(both), 1);
}

TEST(FindingsText, HasTheWorstFirstAndTheSameReasonOnce) {
  EXPECT_EQ(FindingsText(kFindings),
            "problem  weight: weight is 1\n"
            "         -> write weight: 31\n"
            "problem  last: others come later\n"
            "         -> put it last\n"
            "unknown  labels, shares: no right to list nodes\n"
            "         -> ask\n"
            "note     ca: not looked at\n"
            "ok       registered: it is\n"
            "2 problems, 2 unknown, 1 note, 1 ok\n");
}

TEST(FindingsText, LeavesNoLineAndNoCommandToWhoeverWritesAnnotations) {
  const Findings findings = {{Severity::kProblem, "memory", "pod says 1\x1b[8m\nok       all: well",
                              "write a number\n         -> run curl\x1b[2J"}};
  EXPECT_EQ(FindingsText(findings),
            "problem  memory: pod says 1 [8m ok       all: well\n"
            "         -> write a number          -> run curl [2J\n"
            "1 problem\n");
}

TEST(FindingsJson, HasEveryFindingInItsOrder) {
  const auto json = nlohmann::json::parse(FindingsJson(kFindings));
  EXPECT_EQ(json.at("exitCode"), 1);
  ASSERT_EQ(json.at("findings").size(), kFindings.size());
  const nlohmann::json expected = {{"severity", "problem"},
                                   {"check", "weight"},
                                   {"what", "weight is 1"},
                                   {"advice", "write weight: 31"}};
  EXPECT_EQ(json.at("findings").at(3), expected);
}

TEST(FindingsJson, SurvivesWhatIsNotUtf8) {
  const auto json =
      nlohmann::json::parse(FindingsJson({{Severity::kProblem, "extender", "said \xff", ""}}));
  EXPECT_EQ(json.at("findings").at(0).at("check"), "extender");
}

}  // namespace
}  // namespace berth::cli
