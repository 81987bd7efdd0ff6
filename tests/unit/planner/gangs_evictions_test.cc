// Evictions of gangs that have ended half-way, and what becomes of their rest.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "model/gang.h"
#include "planner/gangs.h"
#include "tests/unit/planner/gang_fixture.h"

namespace berth::planner {
namespace {

using std::chrono::seconds;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A gang of three that runs, of which one pod was evicted. Its Job has not made it anew.
class HalfEvicted : public GangFixture {
 public:
  HalfEvicted() {
    for (const char* name : {"a", "b", "c"}) AddNode(name, 8);
    RunAll("train", 3, 8);
    Plan();
    End("train-0");
    facts.evictions = {{"team/train", {.began = time, .pods = 3}}};
  }
  // The steps that evict.
  std::vector<Step> Evictions() {
    std::vector<Step> steps = PlanOnly();
    std::erase_if(steps, [](const Step& step) {
      return step.kind != StepKind::kEvict && step.kind != StepKind::kEvictRest;
    });
    return steps;
  }
  // Its Job makes the pod anew, and there is a node for it.
  void NominateAnew() {
    WaitInGang("train", 0, 3, 8);
    Plan();
    PassBoth(Gangs::kReplacement);
    EXPECT_THAT(Plan(), ElementsAre("train-0 a"));
  }
  void PassBoth(seconds span) {
    Pass(span);
    time += span;
  }
};

TEST(GangEvictions, AreGoneOnWithThoughPodsAreMissing) {
  HalfEvicted f;
  // It may be going on just now.
  EXPECT_THAT(f.Evictions(), IsEmpty());
  f.PassBoth(EvictionAttempts::kAgain);
  const auto steps = f.Evictions();
  ASSERT_THAT(f.Names(steps), ElementsAre("rest of train evicted"));
  EXPECT_EQ(steps[0].namespace_, "team");
  EXPECT_TRUE(f.planner->IsWanted(steps[0]));
  EXPECT_THAT(f.Evictions(), IsEmpty());
  f.planner->Failed(steps[0], "the API server is away");
  f.PassBoth(EvictionAttempts::kAgain);
  EXPECT_THAT(f.Evictions(), SizeIs(1));
  // The watch shows that nobody is left who says that it has begun.
  f.facts.evictions.clear();
  f.PassBoth(EvictionAttempts::kAgain);
  EXPECT_THAT(f.Evictions(), IsEmpty());
  EXPECT_FALSE(f.planner->IsWanted(steps[0]));
}

TEST(GangEvictions, AreGoneOnWithSoonIfTheApiServerDoesNotAnswer) {
  HalfEvicted f;
  f.Evictions();
  f.PassBoth(EvictionAttempts::kAgain);
  for (const int pause : {5, 10, 20, 30}) {
    const auto steps = f.Evictions();
    ASSERT_THAT(f.Names(steps), ElementsAre("rest of train evicted"));
    f.planner->Failed(steps[0], "the API server is away", Failure::kNoAnswer);
    f.PassBoth(seconds(pause - 1));
    EXPECT_THAT(f.Evictions(), IsEmpty()) << pause << " s";
    f.PassBoth(seconds(1));
  }
  EXPECT_THAT(f.Evictions(), SizeIs(1));
}

TEST(GangEvictions, AreGoneOnWithSoonIfTheApiServerStopsToAnswerHalfWay) {
  HalfEvicted f;
  f.facts.evictions.clear();
  f.WaitInGang("train", 0, 3, 8);
  f.Node("a").quarantined = true;
  f.Plan();
  f.PassBoth(seconds(f.config.gangs.timeout));
  const auto steps = f.PlanOnly();
  ASSERT_THAT(f.Names(steps), Contains("train evicted"));
  f.facts.evictions = {{"team/train", {.began = f.time, .pods = 3}}};
  f.Evictions();
  f.planner->Failed(steps.back(), "the API server is away", Failure::kNoAnswer);
  f.PassBoth(EvictionAttempts::kAskAgain);
  EXPECT_THAT(f.Names(f.Evictions()), ElementsAre("rest of train evicted"));
}

TEST(GangEvictions, AreGoneOnWithAtOnceByAnotherController) {
  HalfEvicted f;
  f.Restart();
  EXPECT_THAT(f.Names(f.Evictions()), ElementsAre("rest of train evicted"));
  EXPECT_THAT(f.Evictions(), IsEmpty());
  f.PassBoth(EvictionAttempts::kAgain);
  EXPECT_THAT(f.Evictions(), SizeIs(1));
}

// It may have become whole since then, and a pod that ends is no sign that it is being evicted.
TEST(GangEvictions, OfAGangThatIsWholeAreNotGoneOnWithAtOnce) {
  HalfEvicted f;
  f.WaitInGang("train", 0, 3, 8);
  f.Edit("train-0", [](model::Pod& pod) { pod.nominated_node = "a"; });
  f.Bind("train-0");
  f.Restart();
  EXPECT_THAT(f.Evictions(), IsEmpty());
  f.End("train-0");
  EXPECT_THAT(f.Evictions(), IsEmpty());
  f.PassBoth(EvictionAttempts::kAgain);
  EXPECT_THAT(f.Names(f.Evictions()), ElementsAre("rest of train evicted"));
}

TEST(GangEvictions, EndAfterTenMinutes) {
  HalfEvicted f;
  f.Evictions();
  f.PassBoth(model::GangEviction::kGoesOn - seconds(1));
  EXPECT_THAT(f.Evictions(), SizeIs(1));
  f.PassBoth(EvictionAttempts::kAgain);
  EXPECT_THAT(f.Evictions(), IsEmpty());
}

// Its Job has made the pod anew, there was a node for it, and it was let go before.
TEST(GangEvictions, EndWhenTheGangIsWholeAgain) {
  HalfEvicted f;
  const auto evictions = std::exchange(f.facts.evictions, {});
  f.NominateAnew();
  EXPECT_THAT(f.Plan(), ElementsAre("train-0 ungated"));
  f.facts.evictions = evictions;
  f.Plan();
  f.BindAll("train");
  f.Plan();
  // A pod that ends later is another matter.
  f.End("train-1");
  f.PassBoth(EvictionAttempts::kAgain);
  EXPECT_THAT(f.Evictions(), IsEmpty());
}

// It would run alone once the others have gone.
TEST(GangEvictions, KeepBackWhatWasMadeAnew) {
  HalfEvicted f;
  const auto evictions = std::exchange(f.facts.evictions, {});
  f.NominateAnew();
  const auto steps = f.PlanOnly();
  ASSERT_THAT(f.Names(steps), ElementsAre("train-0 ungated"));
  f.facts.evictions = evictions;
  EXPECT_THAT(f.Plan(), ElementsAre("train-0 "));
  EXPECT_FALSE(f.planner->IsWanted(steps[0]));
  EXPECT_EQ(f.ReasonOf("train"), "what runs of it is being evicted");
  f.EndAll("train");
  f.facts.evictions.clear();
  for (const std::size_t rank : {1, 2}) f.WaitInGang("train", rank, 3, 8);
  f.PassBoth(Gangs::kLost);
  EXPECT_THAT(f.Plan(), ElementsAre("train-0 a", "train-1 b", "train-2 c"));
}

// The budget lacks just that pod which waits for the end of the eviction.
TEST(GangEvictions, EndWhenABudgetForbidsThem) {
  HalfEvicted f;
  f.Evictions();
  f.WaitInGang("train", 0, 3, 8);
  f.PassBoth(EvictionAttempts::kAgain);
  const auto steps = f.Evictions();
  ASSERT_THAT(f.Names(steps), ElementsAre("rest of train evicted"));
  f.planner->Failed(steps[0], "pod train-2: its budget does not allow it", Failure::kBudget);
  EXPECT_THAT(f.Plan(), ElementsAre("train-0 a"));
  EXPECT_THAT(f.ReasonOf("train"), HasSubstr("its budget does not allow it"));
}

TEST(GangEvictions, AreGoneOnWithAfterAnotherOneHasEnded) {
  HalfEvicted f;
  f.Evictions();
  f.PassBoth(EvictionAttempts::kAgain);
  f.planner->Failed(f.Evictions().at(0));
  f.PassBoth(EvictionAttempts::kAgain);
  EXPECT_THAT(f.Evictions(), IsEmpty());
  f.facts.evictions["team/train"].began = f.time;
  f.Evictions();
  f.PassBoth(EvictionAttempts::kAgain);
  EXPECT_THAT(f.Evictions(), SizeIs(1));
}

// The API server has refused to evict the very first one, and ended there.
TEST(GangEvictions, EndWhenNobodyHasGone) {
  HalfEvicted f;
  f.facts.evictions.clear();
  f.WaitInGang("train", 0, 3, 8);
  f.Plan();
  f.PassBoth(Gangs::kReplacement);
  f.Plan();
  f.Plan();
  f.BindAll("train");
  f.facts.evictions = {{"team/train", {.began = f.time, .pods = 3}}};
  f.Evictions();
  f.PassBoth(EvictionAttempts::kAgain);
  f.Evictions();
  f.End("train-1");
  f.PassBoth(EvictionAttempts::kAgain);
  EXPECT_THAT(f.Evictions(), IsEmpty());
}

TEST(GangEvictions, EndWhenTheGangIsLetGoByHand) {
  HalfEvicted f;
  f.Evictions();
  f.WaitInGang("train", 0, 3, 8, {{"berth.dev/gang-freed", "true"}});
  f.Evictions();
  f.Leave("train-0");
  f.PassBoth(EvictionAttempts::kAgain);
  EXPECT_THAT(f.Evictions(), IsEmpty());
}

// After the timeout it would be evicted for lack of a pod, too.
TEST(GangEvictions, AreNotPlannedTwice) {
  HalfEvicted f;
  f.facts.evictions.clear();
  f.Node("a").quarantined = true;
  f.WaitInGang("train", 0, 3, 8);
  f.Plan();
  const seconds timeout{f.config.gangs.timeout};
  f.PassBoth(timeout - seconds(45));
  f.facts.evictions = {{"team/train", {.began = f.time, .pods = 3}}};
  f.Plan();
  std::vector<std::string> names;
  for (int i = 0; i < 90; ++i) {
    f.PassBoth(seconds(1));
    const auto steps = f.Evictions();
    for (const Step& step : steps) f.planner->Failed(step, "the API server is away");
    for (const std::string& name : f.Names(steps)) names.push_back(name);
  }
  EXPECT_THAT(names, SizeIs(3));
  EXPECT_THAT(names, Each("rest of train evicted"));
}

}  // namespace
}  // namespace berth::planner
