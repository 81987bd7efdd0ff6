#include "planner/worths.h"

#include <memory>
#include <vector>

#include "gmock/gmock.h"
#include "planner/candidates.h"
#include "tests/unit/planner/fixture.h"

namespace berth::planner {
namespace {

using std::chrono::seconds;

// A memory of one node, and how often it was judged.
struct Judged {
  policies::scheduling::Worth Of(std::uint64_t version, policies::scheduling::Worth worth,
                                 model::Time valid_until = model::kForever) {
    return worths.Of(0, version, [&] {
      ++judgements;
      return Worths::Dated{worth, valid_until};
    });
  }

  Worths worths;
  int judgements = 0;
};

TEST(Worths, ANodeIsJudgedAgainWhenItHasChanged) {
  Judged judged;
  judged.worths.Open(kNow, 1);
  EXPECT_EQ(judged.Of(1, 10), 10U);
  judged.worths.Open(kNow + seconds(5), 1);
  EXPECT_EQ(judged.Of(1, 20), 10U);
  EXPECT_EQ(judged.judgements, 1);
  EXPECT_EQ(judged.Of(2, 20), 20U);
  EXPECT_EQ(judged.judgements, 2);
}

TEST(Worths, ANodeIsJudgedAgainWhenItsTimeHasCome) {
  Judged judged;
  judged.worths.Open(kNow, 1);
  EXPECT_EQ(judged.Of(1, 0, kNow + seconds(10)), 0U);
  judged.worths.Open(kNow + seconds(9), 1);
  EXPECT_EQ(judged.Of(1, 5), 0U);
  judged.worths.Open(kNow + seconds(10), 1);
  EXPECT_EQ(judged.Of(1, 5), 5U);
}

TEST(Worths, AClockThatIsSetBackMakesAllForgotten) {
  Judged judged;
  judged.worths.Open(kNow, 1);
  EXPECT_EQ(judged.Of(1, 3), 3U);
  judged.worths.Open(kNow - seconds(1), 1);
  EXPECT_EQ(judged.Of(1, 4), 4U);
}

TEST(Worths, ANodeWithoutAHistoryIsJudgedEachTime) {
  Judged judged;
  judged.worths.Open(kNow, 1);
  EXPECT_EQ(judged.Of(0, 3), 3U);
  EXPECT_EQ(judged.Of(0, 4), 4U);
}

TEST(Worths, WhatAPlanBooksIsNotRemembered) {
  std::vector<model::NodeState> nodes = {RoomyNode("a", 4), RoomyNode("b", 4)};
  nodes[0].version = nodes[1].version = 1;
  const policies::scheduling::FixedView view(nodes);
  const model::Pod pod = policies::scheduling::PodAskingFor(kGpu, 4);
  const auto memory = std::make_shared<Worths>();
  for (int plan = 0; plan < 3; ++plan) {
    PlannedView planned(view);
    Candidates candidates(*Engine(), pod, planned, kNow);
    candidates.Remember(memory);
    EXPECT_EQ(candidates.Best(), model::NodeIndex{0});
    planned.Book(pod, 0);
    EXPECT_FALSE(candidates.Fits(0));
    EXPECT_EQ(candidates.Best(), model::NodeIndex{1});
  }
}

}  // namespace
}  // namespace berth::planner
