#include "planner/search_turns.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "planner/allowance.h"

namespace berth::planner {
namespace {

using std::chrono::seconds;
using ::testing::Each;
using ::testing::Ge;
using ::testing::Le;

class Turns : public ::testing::Test {
 protected:
  explicit Turns(std::size_t gangs = 0) : last_(gangs), had_(gangs) {}
  // All gangs ask in a round. Returns how many have had a turn.
  std::size_t Round() {
    turns_.BeginRound();
    std::size_t taken = 0;
    for (std::size_t i = 0; i < last_.size(); ++i) {
      if (!turns_.Take(last_[i])) continue;
      ++had_[i];
      ++taken;
    }
    return taken;
  }

  SearchTurns turns_;
  std::vector<std::uint64_t> last_;
  std::vector<int> had_;
};

TEST_F(Turns, ThatCostMoreAreFewer) {
  SearchTurns turns;
  std::vector<std::uint64_t> last(10);
  std::vector<int> had(last.size());
  constexpr int kRounds = 100;
  for (int round = 0; round < kRounds; ++round) {
    turns.BeginRound();
    std::size_t cost = 0;
    for (std::size_t i = 0; i < last.size(); ++i) {
      if (!turns.Take(last[i], 20)) continue;
      ++had[i];
      cost += 20;
    }
    // The last of the first and the last of the others may cost more than is left.
    EXPECT_THAT(cost, Le(SearchTurns::kFirst + SearchTurns::kOthers + 2 * 20));
  }
  EXPECT_THAT(had, Each(Ge(kRounds / 5)));
}

TEST_F(Turns, EachHasOneInEveryRoundWhereFewAsk) {
  last_.resize(SearchTurns::kFirst + SearchTurns::kOthers);
  had_.resize(last_.size());
  for (int i = 0; i < 10; ++i) EXPECT_EQ(Round(), last_.size());
}

TEST_F(Turns, AreBoundedAndReachEverybody) {
  last_.resize(1'000);
  had_.resize(last_.size());
  for (int i = 0; i < 320; ++i)
    EXPECT_THAT(Round(), Le(SearchTurns::kFirst + SearchTurns::kOthers));
  EXPECT_EQ(had_.front(), 320) << "those that come first wait for nobody";
  EXPECT_THAT(had_, Each(Ge(9))) << "968 others, 32 a round: ten times in 310 rounds";
}

TEST_F(Turns, AreKeptForTheRound) {
  last_.resize(1);
  had_.resize(1);
  Round();
  EXPECT_TRUE(turns_.Take(last_[0]));
}

TEST(Allowance, EndsAndComesAgain) {
  Allowance allowance(60);
  Allowance::Clock::time_point now{seconds(1)};
  EXPECT_TRUE(allowance.Take(60, now));
  EXPECT_FALSE(allowance.Take(1, now));
  now += seconds(1);
  EXPECT_TRUE(allowance.Take(1, now));
  EXPECT_FALSE(allowance.Take(1, now));
}

// One that is larger than all that is allowed is done as well, and the others wait longer.
TEST(Allowance, LendsWhatIsMissing) {
  Allowance allowance(60);
  Allowance::Clock::time_point now{seconds(1)};
  EXPECT_TRUE(allowance.Take(180, now));
  EXPECT_FALSE(allowance.Take(1, now + seconds(120)));
  EXPECT_TRUE(allowance.Take(1, now + seconds(121)));
}

}  // namespace
}  // namespace berth::planner
