#include "model/resources.h"

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace berth::model {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

using Limits = std::numeric_limits<std::int64_t>;

Resources Make(std::initializer_list<Resources::Entry> entries) {
  Resources resources;
  for (const auto& [name, amount] : entries) resources.Set(name, amount);
  return resources;
}

TEST(ResourcesTest, TellsZeroFromMissing) {
  const Resources resources = Make({{"cpu", 0}});
  EXPECT_TRUE(resources.Has("cpu"));
  EXPECT_FALSE(resources.Has("memory"));
  EXPECT_EQ(resources.Get("cpu"), 0);
  EXPECT_EQ(resources.Get("memory"), 0);
  EXPECT_FALSE(resources.empty());
  EXPECT_TRUE(Resources().empty());
}

TEST(ResourcesTest, KeepsNamesInOrderWhateverTheOrderOfWriting) {
  const Resources resources = Make({{"memory", 2}, {"cpu", 1}, {"nvidia.com/gpu", 3}, {"cpu", 4}});
  EXPECT_THAT(std::vector<Resources::Entry>(resources.begin(), resources.end()),
              ElementsAre(Pair("cpu", 4), Pair("memory", 2), Pair("nvidia.com/gpu", 3)));
  EXPECT_EQ(resources, Make({{"cpu", 4}, {"nvidia.com/gpu", 3}, {"memory", 2}}));
}

TEST(ResourcesTest, AddsAndTakesAway) {
  Resources resources = Make({{"cpu", 5}});
  resources.Add("cpu", -2);
  resources.Add("memory", 7);
  resources.Add(Make({{"cpu", 1}, {"disk", 1}}));
  EXPECT_EQ(resources, Make({{"cpu", 4}, {"disk", 1}, {"memory", 7}}));
}

TEST(ResourcesTest, AddsItself) {
  Resources resources = Make({{"cpu", 5}, {"memory", 7}});
  resources.Add(resources);
  EXPECT_EQ(resources, Make({{"cpu", 10}, {"memory", 14}}));
}

TEST(ResourcesTest, SumsSaturateBothWays) {
  Resources resources = Make({{"high", Limits::max()}, {"low", Limits::min()}});
  resources.Add("high", 1);
  resources.Add("low", -1);
  EXPECT_EQ(resources.Get("high"), Limits::max());
  EXPECT_EQ(resources.Get("low"), Limits::min());
}

}  // namespace
}  // namespace berth::model
