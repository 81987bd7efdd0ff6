#include "model/suggest.h"

#include <gtest/gtest.h>

#include <string>

namespace berth::model {
namespace {

const std::vector<std::string_view> kModels = {"V100", "A100", "A30", "MN-Core", "MN-Core2"};

TEST(Suggest, FindsWhatWasMeant) {
  const struct {
    std::string word;
    const char* meant;
  } cases[] = {
      {"A1OO", "A100"},  // O for zero, twice
      {"A200", "A100"},
      {"a100", "A100"},   // case is half a letter
      {"a30", "A30"},     //
      {"A1000", "A100"},  //
      {"MNCore", "MN-Core"},
      {"mn-core", "MN-Core"},
      {"MN-Core3", "MN-Core"},
      {"H200", ""},
      {"P40", ""},
      {"", ""},
      {std::string(200, 'A'), ""},
  };
  for (const auto& test : cases) {
    EXPECT_EQ(Suggest(test.word, kModels).value_or(""), test.meant) << test.word;
  }
}

TEST(Suggest, TakesTheFirstOfEquallyNearOnes) { EXPECT_EQ(Suggest("cab", {"cat", "car"}), "cat"); }

TEST(Suggest, OfNothingIsNothing) { EXPECT_EQ(Suggest("A100", {}), std::nullopt); }

TEST(DidYouMean, IsTheEndOfASentence) {
  EXPECT_EQ(DidYouMean("A10", kModels), "; did you mean A100?");
  EXPECT_EQ(DidYouMean("TPU", kModels), "");
}

TEST(Join, PutsCommasBetween) {
  EXPECT_EQ(Join({}), "");
  EXPECT_EQ(Join({"a"}), "a");
  EXPECT_EQ(Join({"a", "b"}), "a, b");
}

TEST(JoinSome, CountsWhatItLeavesOut) {
  EXPECT_EQ(JoinSome({"a", "b", "c", "d", "e", "f", "g", "h"}), "a, b, c, d, e, f, g, h");
  EXPECT_EQ(JoinSome({"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}),
            "a, b, c, d, e, f, g, h and 2 more");
}

}  // namespace
}  // namespace berth::model
