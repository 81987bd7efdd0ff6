#include "policies/admission/wording.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace berth::policies::admission {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(OneLineTest, KeepsWhatFits) {
  EXPECT_EQ(OneLine("", 10), "");
  EXPECT_EQ(OneLine("0123456789", 10), "0123456789");
  EXPECT_EQ(OneLine("ünïcode", 20), "ünïcode");
}

TEST(OneLineTest, BlanksControlCharactersWhereverTheyAre) {
  EXPECT_EQ(OneLine("\na\x7f"
                    "b\n",
                    10),
            " a b ");
  // U+0085, a line end of two bytes, at the beginning, within, and as the last character.
  EXPECT_EQ(OneLine("\u0085a\u0085"
                    "b\u0085",
                    20),
            "  a  b  ");
  EXPECT_EQ(OneLine("\u00a0", 10), "\u00a0");
}

TEST(OneLineTest, RemovesWhatTurnsTextAroundOrCannotBeSeen) {
  EXPECT_EQ(OneLine("alice\u202e 12\u200b", 20), "alice 12");
  std::string hidden;
  for (int i = 0; i < 100; ++i) hidden += "\u200b\u00ad";
  EXPECT_EQ(OneLine(hidden + "alice", 20), "alice");
}

TEST(OneLineTest, CutsBetweenCharacters) {
  EXPECT_EQ(OneLine("0123456789x", 10), "0123456...");
  // ä has two bytes, € three, the last one four.
  EXPECT_EQ(OneLine("012345äx789", 10), "012345...");
  EXPECT_EQ(OneLine("01234€x789", 10), "01234...");
  EXPECT_EQ(OneLine("01234\U0001F6A2x789", 10), "01234...");
  EXPECT_EQ(OneLine("01234ä7890", 10), "01234ä...");
}

// kube-apiserver drops a warning that has one, without a word (NewWarningHeader in
// k8s.io/apimachinery/pkg/util/net/http.go, v0.36.3).
TEST(OneLineTest, TurnsControlCharactersIntoBlanks) {
  EXPECT_EQ(OneLine(std::string("a\0b\r\n\tc\x7f.", 9), 20), "a b   c .");
  // U+0080 to U+009F, too; U+00A0 and U+0100 are none.
  EXPECT_EQ(OneLine("a\u0080b\u009fc", 20), "a  b  c");
  EXPECT_EQ(OneLine("a\u00a0b\u0100", 20), "a\u00a0b\u0100");
  EXPECT_EQ(OneLine("at its end\u0085", 20), "at its end  ");
}

TEST(ObjectionTest, ReadsAsASentence) {
  EXPECT_EQ(ToString(Objection{"spec.containers[0].resources", "has no memory limit",
                               "write resources.limits.memory"}),
            "spec.containers[0].resources has no memory limit; write resources.limits.memory");
}

TEST(WarningsTest, AreCutWithTheirPrefix) {
  Warnings warnings;
  warnings.Add("berth: ", std::string(200, 'x'));
  const auto taken = warnings.Take();
  ASSERT_THAT(taken, SizeIs(1));
  EXPECT_EQ(taken[0], "berth: " + std::string(110, 'x') + "...");
  EXPECT_THAT(taken[0], SizeIs(kMaxWarning));
}

TEST(WarningsTest, OfADenialSayWhatToWrite) {
  Warnings warnings;
  const std::string advice = "write resources.limits.memory and resources.limits.cpu";
  const Objection usual{"spec.template.spec.initContainers[0].resources",
                        "has neither a memory limit nor a memory request", advice};
  const Objection long_one{std::string(200, 'f'), std::string(200, 'r'), advice};
  warnings.Add("berth (warn only), pods denied: ", usual);
  warnings.Add("berth (warn only), pods denied: ", long_one);
  const auto taken = warnings.Take();
  ASSERT_THAT(taken, SizeIs(2));
  EXPECT_EQ(taken[0], "berth (warn only), pods denied: " + ToString(usual));
  EXPECT_THAT(taken[1], testing::EndsWith("...; " + advice));
  EXPECT_THAT(taken[1], testing::HasSubstr("fff... rrr"));
  EXPECT_THAT(taken[1], SizeIs(kMaxForetold));
}

TEST(WarningsTest, SayTheSameOnce) {
  Warnings warnings;
  warnings.Add("berth: ", "a");
  warnings.Add("berth: ", "b");
  warnings.Add("berth: ", "a");
  EXPECT_THAT(warnings.Take(), ElementsAre("berth: a", "berth: b"));
}

TEST(WarningsTest, OfTenThousandTheFirstAndTheirNumber) {
  Warnings warnings;
  for (int i = 0; i < 10'000; ++i) warnings.Add("berth: ", std::to_string(i));
  const auto taken = warnings.Take();
  ASSERT_THAT(taken, SizeIs(kMaxWarnings));
  EXPECT_EQ(taken.front(), "berth: 0");
  EXPECT_EQ(taken.back(), "berth: and 9989 more like this");
}

TEST(WarningsTest, ThatFitExactlyAreAllSaid) {
  Warnings warnings;
  for (std::size_t i = 0; i < kMaxWarnings; ++i) warnings.Add("", std::to_string(i));
  const auto taken = warnings.Take();
  ASSERT_THAT(taken, SizeIs(kMaxWarnings));
  EXPECT_EQ(taken.back(), std::to_string(kMaxWarnings - 1));
}

TEST(WarningsTest, AreNoneWhenNothingWasSaid) { EXPECT_THAT(Warnings().Take(), IsEmpty()); }

TEST(DenialTest, NamesThePolicyAndWhatToWrite) {
  Denial denial;
  EXPECT_EQ(denial.Text(), "");
  denial.Add("guaranteed-qos", {{"spec.containers[0]", "has no limit", "write one"}});
  denial.Add("isolation", {});
  denial.Add("checkpoint", {{"metadata", "has a bad key", "write another"}});
  EXPECT_EQ(denial.Text(),
            "berth guaranteed-qos: spec.containers[0] has no limit; write one. "
            "berth checkpoint: metadata has a bad key; write another");
}

TEST(DenialTest, NamesAFewOfTenThousandAndTheirNumber) {
  Denial denial;
  const Objection objection{"field", std::string(1000, 'x'), "advice"};
  denial.Add("p", std::vector<Objection>(10'000, objection));
  EXPECT_LT(denial.Text().size(), 2000);
  EXPECT_TRUE(denial.Text().ends_with("...; advice. And 9997 more like this")) << denial.Text();
}

}  // namespace
}  // namespace berth::policies::admission
