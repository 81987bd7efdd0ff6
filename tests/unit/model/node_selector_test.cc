#include "model/node_selector.h"

#include <gtest/gtest.h>

namespace berth::model {
namespace {

const StringMap kLabels = {{"cores", "64"}, {"zone", "a"}};

NodeSelectorTerm ByField(std::string key, std::string op, std::vector<std::string> values) {
  return {.expressions = {}, .fields = {{std::move(key), std::move(op), std::move(values)}}};
}

TEST(NodeRequirement, FollowsKubernetes) {
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
      {{"zone", "Invented", {"a"}}, false},  {{"rack", "NotIn", {}}, false},
      {{"zone", "Exists", {"a"}}, false},    {{"rack", "DoesNotExist", {"a"}}, false},
      {{"cores", "Gt", {"1", "2"}}, false},
  };
  for (const auto& [requirement, matches] : cases) {
    EXPECT_EQ(Matches(requirement, kLabels), matches)
        << requirement.key << " " << requirement.op << " "
        << ::testing::PrintToString(requirement.values);
  }
}

TEST(NodeNeeds, OneTermSufficesAndAnEmptyOneMatchesNothing) {
  using Terms = std::vector<NodeSelectorTerm>;
  const NodeSelectorTerm here{.expressions = {{"zone", "In", {"a"}}}};
  const NodeSelectorTerm elsewhere{.expressions = {{"zone", "In", {"b"}}}};
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
      {{.terms = Terms{NodeSelectorTerm{}}}, false},
      {{.terms = Terms{}}, false},
      {{.terms = Terms{ByField("metadata.name", "In", {"n1"})}}, true},
      {{.terms = Terms{ByField("metadata.name", "In", {"n2"})}}, false},
      {{.terms = Terms{ByField("metadata.name", "In", {"n1", "n2"})}}, false},
      {{.terms = Terms{ByField("metadata.name", "NotIn", {"n2"})}}, true},
      {{.terms = Terms{ByField("metadata.name", "NotIn", {"n1"})}}, false},
      {{.terms = Terms{ByField("metadata.name", "Exists", {})}}, false},
      {{.terms = Terms{ByField("metadata.uid", "In", {"n1"})}}, false},
      {{.terms = Terms{{.expressions = elsewhere.expressions,
                        .fields = {{"metadata.name", "In", {"n1"}}}}}},
       false},
      {{.selector = {{"zone", "b"}}, .terms = Terms{here}}, false},
  };
  for (const auto& [needs, met] : cases) EXPECT_EQ(Meets(needs, kLabels, "n1"), met);
}

}  // namespace
}  // namespace berth::model
