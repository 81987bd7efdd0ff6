#include "model/pod_selector.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace berth::model {
namespace {

const StringMap kPodLabels = {{"app", "web"}, {"empty", ""}, {"tier", "1"}};

struct SelectorCase {
  std::string name;
  std::vector<LabelRequirement> requirements;
  bool meets;
};

class MayMeetTable : public ::testing::TestWithParam<SelectorCase> {};

TEST_P(MayMeetTable, Judges) {
  EXPECT_EQ(MayMeet(GetParam().requirements, kPodLabels), GetParam().meets);
}

INSTANTIATE_TEST_SUITE_P(
    All, MayMeetTable,
    ::testing::Values(
        SelectorCase{"None", {}, true}, SelectorCase{"In", {{"app", "In", {"db", "web"}}}, true},
        SelectorCase{"NotAmong", {{"app", "In", {"db"}}}, false},
        SelectorCase{"InWithoutTheLabel", {{"zone", "In", {"a"}}}, false},
        SelectorCase{"InNothing", {{"app", "In", {}}}, false},
        SelectorCase{"InTheEmptyValue", {{"empty", "In", {""}}}, true},
        SelectorCase{"NotIn", {{"app", "NotIn", {"db"}}}, true},
        SelectorCase{"ButIn", {{"app", "NotIn", {"db", "web"}}}, false},
        SelectorCase{"NotInWithoutTheLabel", {{"zone", "NotIn", {"a"}}}, true},
        SelectorCase{"Exists", {{"empty", "Exists", {}}}, true},
        SelectorCase{"IsAbsent", {{"zone", "Exists", {}}}, false},
        SelectorCase{"DoesNotExist", {{"zone", "DoesNotExist", {}}}, true},
        SelectorCase{"ButExists", {{"app", "DoesNotExist", {}}}, false},
        SelectorCase{"AllOfThem", {{"app", "Exists", {}}, {"tier", "In", {"1"}}}, true},
        SelectorCase{"NotAllOfThem", {{"app", "Exists", {}}, {"tier", "In", {"2"}}}, false},
        SelectorCase{"WhatNobodyKnowsIsMet", {{"tier", "Gt", {"5"}}}, true}),
    [](const auto& param_info) { return param_info.param.name; });

TEST(HasAllTest, ComparesNamesAndValues) {
  EXPECT_TRUE(HasAll(kPodLabels, {{"app", "web"}, {"tier", "1"}}));
  EXPECT_TRUE(HasAll(kPodLabels, {{"empty", ""}}));
  EXPECT_FALSE(HasAll(kPodLabels, {{"app", "web"}, {"tier", "2"}}));
  EXPECT_FALSE(HasAll(kPodLabels, {{"zone", ""}}));
}

}  // namespace
}  // namespace berth::model
