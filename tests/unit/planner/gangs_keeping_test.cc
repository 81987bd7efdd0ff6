// On which nodes room is kept for a gang that waits, and for how long.

#include <cstdint>
#include <map>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "planner/gangs.h"
#include "tests/unit/planner/gang_fixture.h"

namespace berth::planner {
namespace {

using std::chrono::minutes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;

/// Nodes of 8 devices, each with a pod that runs there.
class KeepingFixture : public GangFixture {
 public:
  /// Of all nodes such a share may be kept.
  explicit KeepingFixture(double share = 1) {
    config.gangs.max_share = share;
    Restart();
  }
  void AddUsed(const std::string& name, std::int64_t devices, const std::string& rack = "") {
    AddNode(name, 8, rack);
    Use(name, devices);
  }
  /// The pod that ran there has ended, and another one has come. 0 devices: none has.
  void Use(const std::string& node, std::int64_t devices) {
    if (const auto found = used_.find(node); found != used_.end()) {
      ShowEnded(found->second, node);
      used_.erase(found);
    }
    if (devices > 0) used_[node] = Run(node, devices, 0);
  }
  /// A pod of a DaemonSet runs there.
  model::Pod RunDaemon(const std::string& node) {
    model::Pod daemon{.namespace_ = "team", .name = node, .uid = node};
    daemon.requests.Set("cpu", 1000);
    ShowBound(daemon, node);
    return daemon;
  }
  void AskForCpu(const std::string& name, std::int64_t amount) {
    Edit(name, [amount](model::Pod& pod) { pod.requests.Set("cpu", amount); });
  }

 private:
  std::map<std::string, model::Pod> used_;  // by node
};

TEST(GangRoom, IsKeptOnTheNodesWithTheMostFreeDevicesIfNoneIsFree) {
  KeepingFixture f;
  f.AddUsed("a", 8);
  f.AddUsed("b", 1);
  f.AddUsed("c", 8);
  f.AddUsed("d", 2);
  f.WaitAll("train", 2, 8);
  f.Plan();
  EXPECT_THAT(f.KeptFor("train"), ElementsAre(Pair("b", 8), Pair("d", 8)));
}

TEST(GangRoom, StaysWhileSinglePodsComeAndGoElsewhere) {
  KeepingFixture f;
  f.AddUsed("a", 6);
  f.AddUsed("b", 6);
  f.AddUsed("c", 4);
  f.AddUsed("d", 4);
  f.WaitAll("train", 2, 8);
  f.Plan();
  ASSERT_THAT(f.KeptFor("train"), ElementsAre(Pair("c", 8), Pair("d", 8)));
  for (const std::int64_t devices : {6, 1, 8, 2, 7}) {
    f.Use("a", devices);
    f.Use("b", 9 - devices);
    f.Plan();
    EXPECT_THAT(f.KeptFor("train"), ElementsAre(Pair("c", 8), Pair("d", 8))) << devices;
  }
}

TEST(GangRoom, MovesToANodeThatIsWhollyFree) {
  KeepingFixture f;
  f.AddUsed("a", 6);
  f.AddUsed("b", 6);
  f.AddUsed("c", 4);
  f.AddUsed("d", 5);
  f.WaitAll("train", 2, 8);
  f.Plan();
  ASSERT_THAT(f.KeptFor("train"), ElementsAre(Pair("c", 8), Pair("d", 8)));
  f.Use("a", 0);
  f.Plan();
  EXPECT_THAT(f.KeptFor("train"), ElementsAre(Pair("a", 8), Pair("c", 8)));
}

TEST(GangRoom, IsKeptInTheDomainWithTheMostFreeDevicesAndStaysThere) {
  KeepingFixture f;
  f.AddUsed("a", 8, "1");
  f.AddUsed("b", 8, "1");
  f.AddUsed("c", 4, "2");
  f.AddUsed("d", 4, "2");
  f.WaitAll("train", 2, 8, {{"berth.dev/gang-topology", kRack}});
  f.Plan();
  EXPECT_THAT(f.KeptFor("train"), ElementsAre(Pair("c", 8), Pair("d", 8)));
  f.Use("a", 1);
  f.Use("b", 1);
  f.Plan();
  EXPECT_THAT(f.KeptFor("train"), ElementsAre(Pair("c", 8), Pair("d", 8)));
  f.Use("a", 0);
  f.Plan();
  EXPECT_THAT(f.KeptFor("train"), ElementsAre(Pair("c", 8), Pair("d", 8)));
}

// Pods that say how long they run may use what is kept.
TEST(GangRoom, StaysInItsDomainWhilePodsThatEndInTimeRunThere) {
  KeepingFixture f;
  f.AddUsed("a", 8, "1");
  f.AddUsed("b", 8, "1");
  f.AddNode("c", 8, "2");
  f.AddUsed("d", 1, "2");
  f.WaitAll("train", 2, 8, {{"berth.dev/gang-topology", kRack}});
  f.Plan();
  ASSERT_THAT(f.KeptFor("train"), ElementsAre(Pair("c", 8), Pair("d", 8)));
  f.Use("c", 1);
  f.Use("a", 0);
  f.Plan();
  EXPECT_THAT(f.KeptFor("train"), ElementsAre(Pair("c", 8), Pair("d", 8)));
}

// Somebody else has it before the extender has heard that it is kept.
TEST(GangRoom, GoesBackFromANodeThatIsLost) {
  KeepingFixture f;
  f.AddUsed("a", 8);
  f.AddUsed("b", 1);
  f.AddUsed("c", 1);
  f.WaitAll("train", 2, 8);
  f.Plan();
  ASSERT_THAT(f.KeptFor("train"), ElementsAre(Pair("b", 8), Pair("c", 8)));
  f.Use("a", 0);
  f.Plan();
  ASSERT_THAT(f.KeptFor("train"), ElementsAre(Pair("a", 8), Pair("b", 8)));
  f.Use("a", 8);
  f.Plan();
  EXPECT_THAT(f.KeptFor("train"), ElementsAre(Pair("b", 8), Pair("c", 8)));
}

TEST(GangRoom, OfPodsThatDifferIsKeptOnDifferentNodes) {
  KeepingFixture f;
  f.AddNode("a", 8);
  f.AddNode("b", 8);
  f.AddUsed("c", 8);
  f.WaitInGang("train", 0, 3, 8);
  f.WaitInGang("train", 1, 3, 8);
  f.WaitInGang("train", 2, 3, 4);
  f.Plan();
  EXPECT_THAT(f.KeptFor("train"), ElementsAre(Pair("a", 8), Pair("b", 8), Pair("c", 4)));
}

TEST(GangRoom, OfAMasterIsKeptBesideThatOfItsWorkers) {
  KeepingFixture f;
  for (const char* name : {"a", "b", "c", "d"}) f.AddNode(name, 8);
  f.AddUsed("e", 8);
  f.WaitAll("train", 5, 8);
  f.AskForCpu("train-0", 1000);
  f.Plan();
  EXPECT_THAT(f.KeptFor("train"),
              ElementsAre(Pair("a", 8), Pair("b", 8), Pair("c", 8), Pair("d", 8), Pair("e", 8)));
}

TEST(GangRoom, OfSmallPodsIsKeptWhereLargerOnesLeaveSome) {
  KeepingFixture f;
  f.AddUsed("a", 8);
  f.AddNode("b", 8);
  for (const std::size_t rank : {0U, 1U, 2U}) f.WaitInGang("train", rank, 5, 4);
  for (const std::size_t rank : {3U, 4U}) f.WaitInGang("train", rank, 5, 2);
  f.Plan();
  EXPECT_THAT(f.KeptFor("train"), ElementsAre(Pair("a", 8), Pair("b", 8)));
}

TEST(GangRoom, OfPodsThatDifferMayBeKeptInVain) {
  KeepingFixture f;
  for (const char* name : {"a", "b"}) {
    f.AddNode(name, 8);
    f.RunDaemon(name);
  }
  f.WaitAll("train", 2, 8);
  f.AskForCpu("train-0", 1'000'000);
  f.AskForCpu("train-1", 999'500);
  f.Plan();
  EXPECT_THAT(f.KeptFor("train"), ElementsAre(Pair("a", 8), Pair("b", 8)));
  f.Pass(Gangs::kAllFree);
  f.Plan();
  EXPECT_THAT(f.KeptFor("train"), IsEmpty());
}

TEST(GangRoom, SaysOnHowManyNodesTheShareLetsItBeKept) {
  KeepingFixture f(0.75);
  f.AddNode("a", 8);
  f.AddNode("b", 8);
  f.AddUsed("c", 8);
  f.AddUsed("d", 8);
  f.WaitAll("train", 4, 8);
  f.Plan();
  EXPECT_THAT(f.KeptFor("train"), SizeIs(3));
  EXPECT_THAT(f.ReasonOf("train"),
              HasSubstr("room is kept on 3 of 4 nodes of A30 (planner.gangs.maxShare)"));
  f.Pass(2 * Gangs::kAllFree);
  f.Plan();
  EXPECT_THAT(f.KeptFor("train"), SizeIs(3)) << "one of them is not free yet";
  EXPECT_THAT(f.ReasonOf("train"), HasSubstr("on 3 of 4 nodes"));
}

TEST(GangRoom, SaysNothingOfTheShareIfItSuffices) {
  KeepingFixture f;
  f.AddNode("a", 8);
  f.AddUsed("b", 8);
  f.WaitAll("train", 2, 8);
  f.Plan();
  EXPECT_THAT(f.KeptFor("train"), SizeIs(2));
  EXPECT_THAT(f.ReasonOf("train"), Not(HasSubstr("maxShare")));
}

// The later one gets both nodes as soon as the earlier one has run, and must not be passed then.
TEST(GangRoom, ThatIsKeptForAnEarlierGangTooIsNotInVain) {
  KeepingFixture f;
  f.AddNode("a", 8);
  f.AddNode("b", 8);
  f.AddUsed("c", 8);
  f.AddUsed("d", 8);
  f.WaitAll("first", 4, 8);
  f.WaitAll("second", 2, 8);
  f.Plan();
  ASSERT_THAT(f.KeptFor("second"), ElementsAre(Pair("a", 8), Pair("b", 8)));
  f.Pass(Gangs::kAllFree);
  f.Plan();
  EXPECT_THAT(f.KeptFor("first"), SizeIs(4));
  EXPECT_THAT(f.KeptFor("second"), SizeIs(2));
}

// It had nodes meanwhile, and lost them before its release.
TEST(GangRoom, ThatIsKeptAgainIsNotInVainAtOnce) {
  KeepingFixture f;
  std::map<std::string, model::Pod> daemons;
  for (const char* name : {"a", "b"}) {
    f.AddNode(name, 8);
    daemons[name] = f.RunDaemon(name);
  }
  f.WaitAll("train", 2, 8);
  for (const char* name : {"train-0", "train-1"}) f.AskForCpu(name, 1'000'000);
  f.Plan();
  ASSERT_THAT(f.KeptFor("train"), SizeIs(2));
  f.Pass(minutes(3));
  for (const auto& [node, pod] : daemons) f.ShowEnded(pod, node);
  ASSERT_THAT(f.Plan(), SizeIs(2));
  f.Pass(minutes(3));
  for (const auto& [node, pod] : daemons) f.ShowBound(pod, node);
  ASSERT_THAT(f.Plan(), ElementsAre("train-0 ", "train-1 "));
  f.Plan();
  EXPECT_THAT(f.KeptFor("train"), SizeIs(2));
}

// The watch does not show yet that its nominations are withdrawn.
TEST(GangRoom, IsKeptFromTheWithdrawalOn) {
  KeepingFixture f;
  f.AddNode("a", 8);
  f.AddNode("b", 8);
  f.AddUsed("c", 8);
  f.WaitAll("train", 2, 8);
  ASSERT_THAT(f.Plan(), ElementsAre("train-0 a", "train-1 b"));
  f.Node("b").quarantined = true;
  f.WaitAll("later", 1, 8);
  EXPECT_THAT(f.Names(f.PlanOnly()), ElementsAre("train-0 ", "train-1 "));
  EXPECT_THAT(f.Names(f.PlanOnly()), IsEmpty());
  EXPECT_THAT(f.KeptFor("train"), ElementsAre(Pair("a", 8), Pair("c", 8)));
  EXPECT_EQ(f.PhaseOf("later"), GangPhase::kWaiting);
}

}  // namespace
}  // namespace berth::planner
