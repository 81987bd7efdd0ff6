#include "policies/admission/failure_rules.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/policies/admission/job_fixtures.h"

namespace berth::policies::admission {
namespace {

constexpr FailureStance kUnlimited{.limited = false, .retries = 0, .per_index = false};
constexpr FailureStance kLimited{.limited = true, .retries = 0, .per_index = false};
constexpr FailureStance kRetried{.limited = true, .retries = 2, .per_index = false};
constexpr FailureStance kIndexed{.limited = true, .retries = 2, .per_index = true};

struct RuleCase {
  model::FailureRule rule;
  std::string unlimited;
  std::string limited;
  std::string retried;
  std::string indexed;
};

TEST(FailureRulesTest, LetNothingBeRetriedThatMayHaveRunOutOfMemory) {
  const std::vector<RuleCase> cases = {
      {Disruption("Ignore"), "Count", "Ignore", "Ignore", "Ignore"},
      {Disruption("Count"), "Count", "Count", "Count", "Count"},
      {Disruption("FailJob"), "FailJob", "FailJob", "FailJob", "FailJob"},
      {Disruption("FailIndex"), "FailIndex", "FailIndex", "FailIndex", "FailIndex"},
      {OnConditions("Ignore", {"GPUFellOff"}), "Count", "Ignore", "Ignore", "Ignore"},
      {OnConditions("Ignore", {"Ready"}), "Count", "Count", "FailJob", "FailIndex"},
      {OnConditions("Ignore", {"DisruptionTarget", "Ready=False"}), "Count", "Count", "FailJob",
       "FailIndex"},
      {OnConditions("Ignore", {"DisruptionTarget", "PodScheduled"}), "Count", "Count", "FailJob",
       "FailIndex"},
      {OnConditions("Count", {"ContainersReady"}), "Count", "Count", "FailJob", "FailIndex"},
      {OnExitCodes("Ignore", "In", {137}), "Count", "Count", "FailJob", "FailIndex"},
      {OnExitCodes("Ignore", "In", {42}), "Count", "Count", "FailJob", "FailIndex"},
      {OnExitCodes("Ignore", "NotIn", {1}), "Count", "Count", "FailJob", "FailIndex"},
      {OnExitCodes("Count", "In", {137}), "Count", "Count", "FailJob", "FailIndex"},
      {OnExitCodes("Ignore", "In", {255}), "Count", "Count", "Count", "Count"},
      {OnExitCodes("Count", "In", {137, 255}), "Count", "Count", "FailJob", "FailIndex"},
      {OnExitCodes("Count", "NotIn", {255}), "Count", "Count", "FailJob", "FailIndex"},
      {OnExitCodes("FailJob", "In", {1}), "FailJob", "FailJob", "FailJob", "FailJob"},
      {OnExitCodes("Mistyped", "In", {1}), "Mistyped", "Mistyped", "Mistyped", "Mistyped"},
  };
  for (const RuleCase& c : cases) {
    EXPECT_EQ(RightAction(c.rule, kUnlimited), c.unlimited) << ToText(c.rule);
    EXPECT_EQ(RightAction(c.rule, kLimited), c.limited) << ToText(c.rule);
    EXPECT_EQ(RightAction(c.rule, kRetried), c.retried) << ToText(c.rule);
    EXPECT_EQ(RightAction(c.rule, kIndexed), c.indexed) << ToText(c.rule);
  }
}

TEST(FailureRulesTest, ARightActionStaysRight) {
  for (const FailureStance& stance : {kUnlimited, kLimited, kRetried, kIndexed}) {
    for (const char* action : {"Ignore", "Count", "FailJob", "FailIndex"}) {
      for (model::FailureRule rule :
           {Disruption(action), OnConditions(action, {"Ready"}), OnConditions(action, {"Other"}),
            OnExitCodes(action, "In", {137}), OnExitCodes(action, "NotIn", {255})}) {
        rule.action = RightAction(rule, stance);
        EXPECT_EQ(RightAction(rule, stance), rule.action) << ToText(rule);
      }
    }
  }
}

TEST(FailureRulesTest, ARuleDecidesOnDisruptionUnlessItIsCorrected) {
  EXPECT_TRUE(DecidesOnDisruption(Disruption("Ignore"), kLimited));
  EXPECT_TRUE(DecidesOnDisruption(Disruption("FailJob"), kLimited));
  EXPECT_TRUE(
      DecidesOnDisruption(OnConditions("FailJob", {"Ready", "DisruptionTarget"}), kLimited));
  EXPECT_FALSE(
      DecidesOnDisruption(OnConditions("Ignore", {"Ready", "DisruptionTarget"}), kLimited));
  EXPECT_FALSE(DecidesOnDisruption(OnConditions("Ignore", {"Other"}), kLimited));
  EXPECT_FALSE(DecidesOnDisruption(OnExitCodes("FailJob", "In", {1}), kLimited));
}

TEST(FailureRulesTest, BerthsOwnAreRight) {
  EXPECT_EQ(ToText(IgnoreDisruption()), "Ignore DisruptionTarget");
  EXPECT_EQ(ToText(FailOnExitCode(kRetried)), "FailJob NotIn 255");
  EXPECT_EQ(ToText(FailOnExitCode(kIndexed)), "FailIndex NotIn 255");
  for (const FailureStance& stance : {kRetried, kIndexed}) {
    EXPECT_EQ(RightAction(IgnoreDisruption(), stance), "Ignore");
    EXPECT_TRUE(IsFailOnExitCode(FailOnExitCode(stance), stance));
  }
}

TEST(FailureRulesTest, OfAnIndexedJobAFailedJobEndsTheIndexToo) {
  EXPECT_TRUE(IsFailOnExitCode(OnExitCodes("FailJob", "NotIn", {255}), kIndexed));
  EXPECT_FALSE(IsFailOnExitCode(OnExitCodes("FailIndex", "NotIn", {255}), kRetried));
  EXPECT_FALSE(IsFailOnExitCode(OnExitCodes("FailJob", "NotIn", {254, 255}), kRetried));
  EXPECT_FALSE(IsFailOnExitCode(OnExitCodes("FailJob", "In", {255}), kRetried));
  model::FailureRule of_one = OnExitCodes("FailJob", "NotIn", {255});
  of_one.container = "train";
  EXPECT_FALSE(IsFailOnExitCode(of_one, kRetried));
}

}  // namespace
}  // namespace berth::policies::admission
