// How a gang comes to its preflight, and what follows.

#include "planner/gangs.h"
#include "tests/unit/planner/gang_fixture.h"

namespace berth::planner {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Word = PreflightAnswer::Word;

/// A gang of two pods on two nodes, which asks somebody who is told what to answer.
class Asking : public GangFixture {
 public:
  Asking() {
    for (const char* name : {"a", "b", "c"}) {
      AddNode(name, 8);
      Node(name).node.uid = std::string(name) + "-uid";
    }
    facts.preflight = [this](const PreflightRequest& request) {
      requests.push_back(request);
      return answer;
    };
  }

  std::vector<PreflightRequest> requests;
  PreflightAnswer answer{Word::kWait, "its nodes are checked"};
};

TEST(GangPreflight, IsAskedForOnceAllNominationsAreThere) {
  Asking f;
  f.WaitAll("train", 2, 8);
  f.Plan();
  EXPECT_THAT(f.requests, IsEmpty());
  EXPECT_THAT(f.Plan(), IsEmpty());
  ASSERT_THAT(f.requests, SizeIs(1));
  const PreflightRequest& request = f.requests[0];
  EXPECT_EQ(request.gang, "team/train");
  EXPECT_EQ(request.said, std::nullopt);
  ASSERT_THAT(request.places, SizeIs(2));
  EXPECT_EQ(request.places[0].node, "a");
  EXPECT_EQ(request.places[0].node_uid, "a-uid");
  EXPECT_EQ(request.places[0].requests.Get(kGpu), 8);
  EXPECT_EQ(f.PhaseOf("train"), GangPhase::kPlanned);
  EXPECT_EQ(f.ReasonOf("train"), "its nodes are checked");
  EXPECT_THAT(f.NodesOf("train"), ElementsAre("a", "b"));
}

TEST(GangPreflight, CountsWhatAllPodsOfANodeAskFor) {
  Asking f;
  f.WaitAll("train", 4, 4, {{"berth.dev/gang-preflight", "true"}});
  f.WaitInGang("other", 0, 2, 0);
  f.WaitInGang("other", 1, 2, 8);
  f.Plan();
  f.Plan();
  ASSERT_THAT(f.requests, SizeIs(2));
  EXPECT_THAT(f.requests[0].places, SizeIs(2));
  EXPECT_EQ(f.requests[0].places[0].requests.Get(kGpu), 8);
  EXPECT_EQ(f.requests[0].said, true);
  // A pod without accelerators has a node that is not checked.
  EXPECT_THAT(f.requests[1].places, SizeIs(1));
}

TEST(GangPreflight, KeepsTheGangUntilItHasPassed) {
  Asking f;
  f.WaitAll("train", 2, 8);
  for (int i = 0; i < 100; ++i) {
    f.Plan();
    f.Pass(seconds(10));  // longer than planner.gangs.timeout in all
  }
  EXPECT_EQ(f.PhaseOf("train"), GangPhase::kPlanned);
  EXPECT_THAT(f.NodesOf("train"), ElementsAre("a", "b"));
  f.answer = {};
  EXPECT_THAT(f.Plan(), ElementsAre("train-0 ungated", "train-1 ungated"));
  EXPECT_EQ(f.PhaseOf("train"), GangPhase::kReleased);
}

TEST(GangPreflight, ItsUsersAreTold) {
  Asking f;
  f.WaitAll("train", 2, 8);
  f.Plan();
  f.Plan();
  f.Pass(Gangs::kSayAfter);
  f.Plan();
  EXPECT_THAT(f.said, ElementsAre("train-0: gang train of 2: its nodes are checked",
                                  "train-1: gang train of 2: its nodes are checked"));
}

TEST(GangPreflight, IsTheSameForTheSamePodsOnTheSameNodesAlone) {
  Asking f;
  f.WaitAll("train", 2, 8);
  f.Plan();
  f.Plan();
  f.Restart();
  f.Plan();
  ASSERT_THAT(f.requests, SizeIs(2));
  EXPECT_EQ(f.requests[0].run, f.requests[1].run);
  f.Node("b").quarantined = true;
  f.Plan();
  f.Plan();
  ASSERT_THAT(f.requests, SizeIs(3));
  EXPECT_EQ(f.requests[2].places[1].node, "c");
  EXPECT_NE(f.requests[1].run, f.requests[2].run);
}

TEST(GangPreflight, ThatFailedForUnknownReasonsLetsTheGangRest) {
  Asking f;
  f.WaitAll("train", 2, 8);
  f.Plan();
  f.answer = {Word::kRest, "its preflight failed"};
  EXPECT_THAT(f.Plan(), ElementsAre("train-0 ", "train-1 "));
  EXPECT_EQ(f.PhaseOf("train"), GangPhase::kWaiting);
  EXPECT_EQ(f.ReasonOf("train"), "rests until 2027-01-15T08:00:30Z, because its preflight failed");
  EXPECT_TRUE(f.HoldsNothing("train"));
  f.answer = {};
  f.Pass(GangRests::kFirst);
  f.Plan();
  EXPECT_THAT(f.Plan(), ElementsAre("train-0 ungated", "train-1 ungated"));
}

}  // namespace
}  // namespace berth::planner
