#include "cluster/creator_table.h"

#include <string>

#include "gtest/gtest.h"

namespace berth::cluster {
namespace {

TEST(CreatorTable, StoresANameOnceUntilItsLastHolderIsGone) {
  CreatorTable table;
  const std::uint32_t alice = table.Hold("alice");
  const std::uint32_t bob = table.Hold("bob");
  EXPECT_EQ(table.Hold("alice"), alice);
  EXPECT_NE(alice, bob);
  EXPECT_EQ(table[alice], "alice");
  EXPECT_EQ(table[bob], "bob");
  table.Release(alice);
  EXPECT_EQ(table[alice], "alice");
  table.Release(alice);
  EXPECT_EQ(table.size(), 1u);
}

TEST(CreatorTable, UsesTheNumbersOfForgottenNamesAgain) {
  CreatorTable table;
  for (int i = 0; i < 1000; ++i) {
    const std::uint32_t number = table.Hold("user-" + std::to_string(i));
    EXPECT_EQ(number, 1u);
    table.Release(number);
  }
  EXPECT_EQ(table.size(), 0u);
}

TEST(CreatorTable, NobodyHasNoName) {
  CreatorTable table;
  EXPECT_EQ(table.Hold(""), CreatorTable::kNobody);
  EXPECT_EQ(table[CreatorTable::kNobody], "");
  table.Release(CreatorTable::kNobody);
  EXPECT_EQ(table.size(), 0u);
}

TEST(CreatorTable, CutsLongNamesBetweenCharacters) {
  CreatorTable table;
  const std::string ascii(300, 'a');
  const std::uint32_t number = table.Hold(ascii);
  EXPECT_EQ(table[number], ascii.substr(0, CreatorTable::kMaxBytes));
  EXPECT_EQ(table.Hold(ascii + "b"), number) << "what is cut does not count";
  // Of two bytes each, of which the last would be cut in half.
  std::string text = "a";
  for (int i = 0; i < 200; ++i) text += "\xc3\xa4";
  EXPECT_EQ(table[table.Hold(text)].size(), CreatorTable::kMaxBytes - 1);
}

}  // namespace
}  // namespace berth::cluster
