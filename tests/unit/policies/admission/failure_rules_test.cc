#include "policies/admission/failure_rules.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/policies/admission/job_fixtures.h"

namespace berth::policies::admission {
namespace {

constexpr FailureStance kUnlimited{};
constexpr FailureStance kUnretried{.limited = true};
constexpr FailureStance kRetried{.limited = true, .retries = 6};
constexpr FailureStance kLost{.limited = true, .retries = 8, .retries_lost = true};
constexpr FailureStance kIndexed{
    .limited = true, .retries = 8, .per_index = true, .retries_lost = true};

struct RuleCase {
  model::FailureRule rule;
  std::string unlimited;
  std::string unretried;
  std::string retried;
  std::string lost;
  std::string indexed;
};

TEST(FailureRulesTest, LetNothingBeRetriedThatMayHaveRunOutOfMemory) {
  const std::string kCount = "Count";
  const std::string kFail = "FailJob";
  const std::string kIndex = "FailIndex";
  const std::vector<RuleCase> cases = {
      {Disruption("Ignore"), kCount, kCount, kCount, kCount, kCount},
      {Disruption("Count"), kCount, kCount, kCount, kCount, kCount},
      {Disruption("FailJob"), kFail, kFail, kFail, kFail, kFail},
      {Disruption("FailIndex"), kIndex, kIndex, kIndex, kIndex, kIndex},
      {OnConditions("Ignore", {"GPUFellOff"}), kCount, "Ignore", "Ignore", "Ignore", "Ignore"},
      {OnConditions("Ignore", {"DisruptionTarget", "Other"}), kCount, kCount, kCount, kCount,
       kCount},
      {OnConditions("Ignore", {"Ready"}), kCount, kCount, kFail, kFail, kIndex},
      {OnConditions("Ignore", {"DisruptionTarget", "Ready=False"}), kCount, kCount, kFail, kFail,
       kIndex},
      {OnConditions("Ignore", {"DisruptionTarget", "PodScheduled"}), kCount, kCount, kFail, kFail,
       kIndex},
      {OnConditions("Count", {"ContainersReady"}), kCount, kCount, kFail, kFail, kIndex},
      {OnExitCodes("Ignore", "In", {137}), kCount, kCount, kFail, kFail, kIndex},
      {OnExitCodes("Ignore", "In", {42}), kCount, kCount, kFail, kFail, kIndex},
      {OnExitCodes("Ignore", "NotIn", {1}), kCount, kCount, kFail, kFail, kIndex},
      {OnExitCodes("Count", "In", {137}), kCount, kCount, kFail, kFail, kIndex},
      {OnExitCodes("Ignore", "In", {255}), kCount, kCount, kFail, kCount, kCount},
      {OnExitCodes("Count", "In", {137, 255}), kCount, kCount, kFail, kFail, kIndex},
      {OnExitCodes("Count", "NotIn", {255}), kCount, kCount, kFail, kFail, kIndex},
      {OnExitCodes("FailJob", "In", {1}), kFail, kFail, kFail, kFail, kFail},
      {OnExitCodes("Mistyped", "In", {1}), "Mistyped", "Mistyped", "Mistyped", "Mistyped",
       "Mistyped"},
  };
  for (const RuleCase& c : cases) {
    EXPECT_EQ(RightAction(c.rule, kUnlimited), c.unlimited) << ToText(c.rule);
    EXPECT_EQ(RightAction(c.rule, kUnretried), c.unretried) << ToText(c.rule);
    EXPECT_EQ(RightAction(c.rule, kRetried), c.retried) << ToText(c.rule);
    EXPECT_EQ(RightAction(c.rule, kLost), c.lost) << ToText(c.rule);
    EXPECT_EQ(RightAction(c.rule, kIndexed), c.indexed) << ToText(c.rule);
  }
}

TEST(FailureRulesTest, DisruptionsAreIgnoredWhereTheyCannotBeCounted) {
  constexpr FailureStance kQueued{.limited = true, .ignores = true};
  EXPECT_EQ(RightAction(IgnoreDisruption(), kQueued), "Ignore");
  EXPECT_TRUE(DecidesOnDisruption(IgnoreDisruption(), kQueued));
  EXPECT_FALSE(RetriesWithoutEnd(IgnoreDisruption(), kQueued));
  EXPECT_EQ(RightAction(OnConditions("Ignore", {"DisruptionTarget", "Ready"}), kQueued), "Count");
  EXPECT_FALSE(DecidesOnDisruption(OnConditions("Ignore", {"DisruptionTarget", "Ready"}), kQueued));
  EXPECT_EQ(RightAction(OnExitCodes("Ignore", "In", {137}), kQueued), "Count");
}

TEST(FailureRulesTest, ARightActionStaysRight) {
  for (const FailureStance& stance : {kUnlimited, kUnretried, kRetried, kLost, kIndexed}) {
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

TEST(FailureRulesTest, ARuleDecidesOnDisruptionUnlessItFailsForItsOtherConditions) {
  for (const char* action : {"Ignore", "Count", "FailJob"}) {
    EXPECT_TRUE(DecidesOnDisruption(Disruption(action), kRetried)) << action;
  }
  EXPECT_TRUE(
      DecidesOnDisruption(OnConditions("FailJob", {"Ready", "DisruptionTarget"}), kRetried));
  EXPECT_FALSE(
      DecidesOnDisruption(OnConditions("Ignore", {"Ready", "DisruptionTarget"}), kRetried));
  EXPECT_FALSE(DecidesOnDisruption(OnConditions("Ignore", {"Other"}), kRetried));
  EXPECT_FALSE(DecidesOnDisruption(OnExitCodes("FailJob", "In", {1}), kRetried));
}

TEST(FailureRulesTest, ARuleRetriesWithoutEndIfItIgnoresDisruptions) {
  EXPECT_TRUE(RetriesWithoutEnd(Disruption("Ignore"), kRetried));
  EXPECT_TRUE(RetriesWithoutEnd(OnConditions("Ignore", {"Other", "DisruptionTarget"}), kRetried));
  EXPECT_FALSE(RetriesWithoutEnd(Disruption("Count"), kRetried));
  EXPECT_FALSE(RetriesWithoutEnd(Disruption("FailJob"), kRetried));
  EXPECT_FALSE(RetriesWithoutEnd(OnConditions("Ignore", {"Other"}), kRetried));
  EXPECT_FALSE(RetriesWithoutEnd(OnConditions("Ignore", {"Ready", "DisruptionTarget"}), kRetried));
}

TEST(FailureRulesTest, BerthsOwnAreRight) {
  EXPECT_EQ(ToText(CountDisruption()), "Count DisruptionTarget");
  EXPECT_EQ(ToText(FailOnExitCode(kRetried)), "FailJob NotIn 0");
  EXPECT_EQ(ToText(FailOnExitCode(kLost)), "FailJob NotIn 255");
  EXPECT_EQ(ToText(FailOnExitCode(kIndexed)), "FailIndex NotIn 255");
  for (const FailureStance& stance : {kRetried, kLost, kIndexed}) {
    EXPECT_EQ(RightAction(CountDisruption(), stance), "Count");
    EXPECT_TRUE(IsFailOnExitCode(FailOnExitCode(stance), stance));
  }
}

TEST(FailureRulesTest, ARuleThatFailsMoreDoesAsWell) {
  EXPECT_TRUE(IsFailOnExitCode(OnExitCodes("FailJob", "NotIn", {0}), kLost));
  EXPECT_TRUE(IsFailOnExitCode(OnExitCodes("FailJob", "NotIn", {0, 255}), kLost));
  EXPECT_FALSE(IsFailOnExitCode(OnExitCodes("FailJob", "NotIn", {255}), kRetried));
}

TEST(FailureRulesTest, OfAnIndexedJobAFailedJobEndsTheIndexToo) {
  EXPECT_TRUE(IsFailOnExitCode(OnExitCodes("FailJob", "NotIn", {255}), kIndexed));
  EXPECT_FALSE(IsFailOnExitCode(OnExitCodes("FailIndex", "NotIn", {255}), kLost));
  EXPECT_FALSE(IsFailOnExitCode(OnExitCodes("FailJob", "NotIn", {254, 255}), kLost));
  EXPECT_FALSE(IsFailOnExitCode(OnExitCodes("FailJob", "In", {255}), kLost));
  EXPECT_FALSE(IsFailOnExitCode(OnExitCodes("Count", "NotIn", {0}), kLost));
  model::FailureRule of_one = OnExitCodes("FailJob", "NotIn", {255});
  of_one.container = "train";
  EXPECT_FALSE(IsFailOnExitCode(of_one, kLost));
}

}  // namespace
}  // namespace berth::policies::admission
