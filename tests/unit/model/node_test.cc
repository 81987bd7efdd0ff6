#include "model/node.h"

#include "gtest/gtest.h"

namespace berth::model {
namespace {

TEST(StringMapTest, FindsNamesOfANormalizedMap) {
  StringMap map = {{"b", "2"}, {"a", "1"}, {"c", ""}};
  Normalize(map);
  EXPECT_EQ(Find(map, "a"), "1");
  EXPECT_EQ(Find(map, "b"), "2");
  EXPECT_EQ(Find(map, "c"), "");
  EXPECT_EQ(Find(map, ""), std::nullopt);
  EXPECT_EQ(Find(map, "aa"), std::nullopt);
  EXPECT_EQ(Find(map, "d"), std::nullopt);
  EXPECT_EQ(Find({}, "a"), std::nullopt);
}

TEST(StringMapTest, TheLastOfEqualNamesStays) {
  StringMap map = {{"a", "first"}, {"b", "only"}, {"a", "second"}, {"a", "last"}};
  Normalize(map);
  EXPECT_EQ(map, (StringMap{{"a", "last"}, {"b", "only"}}));
}

TEST(StringMapTest, NormalizesNothing) {
  StringMap map;
  Normalize(map);
  EXPECT_TRUE(map.empty());
}

constexpr Time kMoment{std::chrono::seconds(1'800'000'000)};

Node NodeWithReady(ConditionStatus status, Time since) {
  Node node;
  node.conditions = {{.type = "GPUIsLost", .last_transition = kMoment - Duration(1)},
                     {.type = "Ready", .status = status, .last_transition = since}};
  return node;
}

TEST(NotReadySinceTest, IsTheTimeOfTheConditionReadyUnlessItIsTrue) {
  EXPECT_EQ(NotReadySince(NodeWithReady(ConditionStatus::kFalse, kMoment)), kMoment);
  EXPECT_EQ(NotReadySince(NodeWithReady(ConditionStatus::kUnknown, kMoment)), kMoment);
  EXPECT_EQ(NotReadySince(NodeWithReady(ConditionStatus::kTrue, kMoment)), std::nullopt);
}

TEST(NotReadySinceTest, IsNothingIfNobodySaysSo) {
  EXPECT_EQ(NotReadySince(NodeWithReady(ConditionStatus::kUnknown, kNoTime)), std::nullopt);
  EXPECT_EQ(NotReadySince(Node()), std::nullopt);
}

}  // namespace
}  // namespace berth::model
