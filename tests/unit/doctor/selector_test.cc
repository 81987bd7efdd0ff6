#include "doctor/selector.h"

#include <gtest/gtest.h>

namespace berth::doctor {
namespace {

using model::NodeRequirement;

const model::StringMap kLabels = {{"cores", "64"}, {"zone", "a"}};

TEST(Selector, RequirementsFollowKubernetes) {
  const struct {
    NodeRequirement requirement;
    bool matches;
  } cases[] = {
      {{"zone", "In", {"a", "b"}}, true},    {{"zone", "In", {"b"}}, false},
      {{"rack", "In", {"b"}}, false},        {{"zone", "NotIn", {"b"}}, true},
      {{"zone", "NotIn", {"a"}}, false},     {{"rack", "NotIn", {"a"}}, true},
      {{"zone", "Exists", {}}, true},        {{"rack", "Exists", {}}, false},
      {{"zone", "DoesNotExist", {}}, false}, {{"rack", "DoesNotExist", {}}, true},
      {{"cores", "Gt", {"63"}}, true},       {{"cores", "Gt", {"64"}}, false},
      {{"cores", "Lt", {"65"}}, true},       {{"zone", "Gt", {"1"}}, false},
      {{"cores", "Gt", {"many"}}, false},    {{"cores", "Gt", {}}, false},
      {{"zone", "Invented", {"a"}}, false},
  };
  for (const auto& [requirement, matches] : cases) {
    EXPECT_EQ(Matches(requirement, kLabels), matches)
        << requirement.key << " " << requirement.op << " "
        << ::testing::PrintToString(requirement.values);
  }
}

TEST(Selector, AnEmptySelectorTakesEverything) {
  EXPECT_TRUE(Matches(LabelSelector(), kLabels));
  EXPECT_TRUE(Matches(LabelSelector{.labels = {{"zone", "a"}}}, kLabels));
  EXPECT_FALSE(Matches(LabelSelector{.labels = {{"zone", "b"}}}, kLabels));
  EXPECT_FALSE(Matches(
      LabelSelector{.labels = {{"zone", "a"}}, .expressions = {{"zone", "DoesNotExist", {}}}},
      kLabels));
}

TEST(NodeNeeds, OneTermSufficesAndAnEmptyOneIsNone) {
  using Terms = std::vector<model::NodeSelectorTerm>;
  const model::NodeSelectorTerm here{.expressions = {{"zone", "In", {"a"}}}};
  const model::NodeSelectorTerm elsewhere{.expressions = {{"zone", "In", {"b"}}}};
  const struct {
    NodeNeeds needs;
    bool met;
  } cases[] = {
      {{}, true},
      {{.selector = {{"zone", "a"}}}, true},
      {{.selector = {{"zone", "b"}}}, false},
      {{.terms = Terms{here}}, true},
      {{.terms = Terms{elsewhere, here}}, true},
      {{.terms = Terms{elsewhere}}, false},
      {{.terms = Terms{model::NodeSelectorTerm{}}}, false},
      {{.terms = Terms{}}, false},
      {{.terms = Terms{{.has_fields = true}}}, true},
      {{.selector = {{"zone", "b"}}, .terms = Terms{here}}, false},
  };
  for (const auto& [needs, met] : cases) EXPECT_EQ(Meets(kLabels, needs), met);
}

}  // namespace
}  // namespace berth::doctor
