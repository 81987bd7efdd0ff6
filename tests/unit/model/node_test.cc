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

}  // namespace
}  // namespace berth::model
