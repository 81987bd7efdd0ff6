#include "server/body_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace berth::server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::size_t kMega = 1024 * 1024;

class BodyBudgetTest : public ::testing::Test {
 protected:
  /// One that waits for its client and holds `bytes`.
  std::unique_ptr<BodyBudget::Share> Waiting(const std::string& name, std::size_t bytes) {
    auto share = std::make_unique<BodyBudget::Share>(
        budget_, [this, name] { asked_to_make_way_.push_back(name); });
    share->Wait();
    EXPECT_TRUE(share->Hold(bytes)) << name;
    return share;
  }

  BodyBudget budget_{8 * kMega};
  std::vector<std::string> asked_to_make_way_;
};

TEST_F(BodyBudgetTest, CountsEveryByte) {
  std::vector<std::unique_ptr<BodyBudget::Share>> small;
  for (int i = 0; i < 80; ++i) small.push_back(Waiting("small", kMega / 10));
  EXPECT_THAT(asked_to_make_way_, IsEmpty());
  Waiting("one more", kMega / 10);
  EXPECT_THAT(asked_to_make_way_, ElementsAre("small"));
}

TEST_F(BodyBudgetTest, TakesBackWhatIsGone) {
  auto first = Waiting("first", 6 * kMega);
  EXPECT_TRUE(first->Hold(kMega));
  EXPECT_TRUE(Waiting("second", 6 * kMega));
  first.reset();
  EXPECT_TRUE(Waiting("third", 7 * kMega));
  EXPECT_THAT(asked_to_make_way_, IsEmpty());
}

TEST_F(BodyBudgetTest, WhoHasWaitedLongestMakesWay) {
  const auto first = Waiting("first", 3 * kMega);
  const auto second = Waiting("second", 3 * kMega);
  first->Wait();  // with a reply now: from anew
  const auto third = Waiting("third", kMega);
  EXPECT_TRUE(third->Hold(4 * kMega));
  EXPECT_THAT(asked_to_make_way_, ElementsAre("second"));
  EXPECT_TRUE(second->IsLeaving());
  EXPECT_FALSE(first->IsLeaving());
}

TEST_F(BodyBudgetTest, NobodyMakesWayForWhatSomebodyElseHasMadeAlready) {
  const auto first = Waiting("first", 5 * kMega);
  const auto second = Waiting("second", kMega);
  const auto third = Waiting("third", 3 * kMega);
  EXPECT_TRUE(third->Hold(4 * kMega));
  EXPECT_THAT(asked_to_make_way_, ElementsAre("first"));
}

TEST_F(BodyBudgetTest, WhoHasWaitedLongestGetsNoMoreAtOthersCost) {
  const auto first = Waiting("first", 3 * kMega);
  const auto second = Waiting("second", 4 * kMega);
  EXPECT_FALSE(first->Hold(5 * kMega));
  EXPECT_THAT(asked_to_make_way_, IsEmpty());
  EXPECT_TRUE(first->Hold(3 * kMega)) << "it has what it had";
}

TEST_F(BodyBudgetTest, WhoWorksMakesNoWay) {
  const auto first = Waiting("first", 6 * kMega);
  first->Work();
  const auto second = Waiting("second", kMega / 2);
  EXPECT_FALSE(second->Hold(3 * kMega));
  EXPECT_THAT(asked_to_make_way_, IsEmpty());
}

TEST_F(BodyBudgetTest, WhoIsDoneBeforeItLeavesNeedNotLeave) {
  const auto first = Waiting("first", 6 * kMega);
  const auto second = Waiting("second", kMega);
  EXPECT_TRUE(second->Hold(3 * kMega));
  first->Work();
  EXPECT_FALSE(first->IsLeaving());
  EXPECT_TRUE(first->Hold(0));
  EXPECT_TRUE(second->Hold(7 * kMega));
}

TEST_F(BodyBudgetTest, LargeOnesLeaveAnEighthForSmallOnes) {
  const auto large = Waiting("large", 7 * kMega);
  EXPECT_FALSE(large->Hold(7 * kMega + 1));
  EXPECT_TRUE(Waiting("small", kMega));
  EXPECT_THAT(asked_to_make_way_, IsEmpty());
}

}  // namespace
}  // namespace berth::server
