#include "model/pod_selector.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace berth::model {
namespace {

const StringMap kLabels = {{"app", "web"}, {"empty", ""}, {"tier", "1"}};

struct Case {
  std::string name;
  std::vector<LabelRequirement> requirements;
  bool meets;
};

class MayMeetTable : public ::testing::TestWithParam<Case> {};

TEST_P(MayMeetTable, Judges) {
  EXPECT_EQ(MayMeet(GetParam().requirements, kLabels), GetParam().meets);
}

INSTANTIATE_TEST_SUITE_P(
    All, MayMeetTable,
    ::testing::Values(Case{"None", {}, true}, Case{"In", {{"app", "In", {"db", "web"}}}, true},
                      Case{"NotAmong", {{"app", "In", {"db"}}}, false},
                      Case{"InWithoutTheLabel", {{"zone", "In", {"a"}}}, false},
                      Case{"InNothing", {{"app", "In", {}}}, false},
                      Case{"InTheEmptyValue", {{"empty", "In", {""}}}, true},
                      Case{"NotIn", {{"app", "NotIn", {"db"}}}, true},
                      Case{"ButIn", {{"app", "NotIn", {"db", "web"}}}, false},
                      Case{"NotInWithoutTheLabel", {{"zone", "NotIn", {"a"}}}, true},
                      Case{"Exists", {{"empty", "Exists", {}}}, true},
                      Case{"IsAbsent", {{"zone", "Exists", {}}}, false},
                      Case{"DoesNotExist", {{"zone", "DoesNotExist", {}}}, true},
                      Case{"ButExists", {{"app", "DoesNotExist", {}}}, false},
                      Case{"AllOfThem", {{"app", "Exists", {}}, {"tier", "In", {"1"}}}, true},
                      Case{"NotAllOfThem", {{"app", "Exists", {}}, {"tier", "In", {"2"}}}, false},
                      Case{"WhatNobodyKnowsIsMet", {{"tier", "Gt", {"5"}}}, true}),
    [](const auto& param_info) { return param_info.param.name; });

TEST(HasAllTest, ComparesNamesAndValues) {
  EXPECT_TRUE(HasAll(kLabels, {{"app", "web"}, {"tier", "1"}}));
  EXPECT_TRUE(HasAll(kLabels, {{"empty", ""}}));
  EXPECT_FALSE(HasAll(kLabels, {{"app", "web"}, {"tier", "2"}}));
  EXPECT_FALSE(HasAll(kLabels, {{"zone", ""}}));
}

}  // namespace
}  // namespace berth::model
