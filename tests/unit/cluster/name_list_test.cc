#include "cluster/name_list.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

namespace berth::cluster {
namespace {

TEST(NameListTest, KeepsNamesApart) {
  NameList names;
  names.Set(0, "a");
  names.Set(1, "bcd");
  EXPECT_EQ(names[0], "a");
  EXPECT_EQ(names[1], "bcd");
}

TEST(NameListTest, IndicesMayBeLeftOut) {
  NameList names;
  names.Set(2, "c");
  EXPECT_EQ(names[0], "");
  EXPECT_EQ(names[2], "c");
}

TEST(NameListTest, AnotherNameMayBeOfAnyLength) {
  for (const char* next : {"", "x", "four", "much longer than before"}) {
    NameList names;
    names.Set(0, "node");
    names.Set(1, "neighbour");
    names.Set(0, next);
    EXPECT_EQ(names[0], next);
    EXPECT_EQ(names[1], "neighbour");
  }
}

TEST(NameListTest, HoldsWhatWasSetLastWhateverCameBefore) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    NameList names;
    std::map<model::NodeIndex, std::string> expected;
    for (int step = 0; step < 500; ++step) {
      const auto index = static_cast<model::NodeIndex>(random() % 30);
      const std::string name(random() % 60, static_cast<char>('a' + random() % 26));
      names.Set(index, name);
      expected[index] = name;
    }
    for (const auto& [index, name] : expected) ASSERT_EQ(names[index], name) << "seed " << seed;
  }
}

}  // namespace
}  // namespace berth::cluster
