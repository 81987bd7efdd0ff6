#include "controller/fault_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "controller/fault_metrics.h"
#include "server/metrics.h"
#include "tests/unit/policies/fixtures.h"

namespace berth::controller {
namespace {

using model::ConditionStatus;
using policies::scheduling::kNow;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr char kLost[] = "GPUIsLost";

model::NodeState WatchedNode(std::string name) {
  model::NodeState node = policies::scheduling::GpuNode(std::move(name), "NVIDIA-A30");
  node.node.uid = node.node.name + "-uid";
  return node;
}

model::NodeState With(model::NodeState node, std::string type, model::Time since,
                      ConditionStatus status = ConditionStatus::kTrue) {
  node.node.conditions.push_back({std::move(type), status, since, since});
  return node;
}

model::NodeState Using(model::NodeState node, std::int64_t devices) {
  node.used.Set(policies::scheduling::kGpu, devices);
  return node;
}

policies::scheduling::HealthConfig Health() {
  policies::scheduling::HealthConfig health;
  health.profiles.clear();
  health.conditions = {{.type = kLost},
                       {.type = "NICLinkDown", .resources = {"rdma/*"}},
                       {.type = "GPURuntimeError"}};
  return health;
}

class FaultWatchTest : public testing::Test {
 protected:
  std::vector<FaultChange> LookAt(std::vector<model::NodeState> nodes, model::Duration at) {
    return watch_.Look(policies::scheduling::FixedView(std::move(nodes)),
                       *policies::scheduling::Catalog(), kNow + at);
  }

  // What happened, a line each: "excluded a GPUIsLost 5s".
  std::vector<std::string> See(std::vector<model::NodeState> nodes, model::Duration at) {
    std::vector<std::string> lines;
    for (const FaultChange& change : LookAt(std::move(nodes), at)) {
      constexpr const char* kWords[] = {"excluded", "vacated", "returned"};
      std::string line = kWords[static_cast<int>(change.what)];
      line += " " + change.fault.node + " " + change.fault.condition;
      if (change.after) line += " " + std::to_string(change.after->count()) + "s";
      if (change.is_back) line += ", back";
      if (change.is_suspect) line += ", suspect";
      lines.push_back(line);
    }
    return lines;
  }

  FaultWatch watch_{Health()};
};

TEST_F(FaultWatchTest, SeesAFaultFromItsBeginningToTheNodesReturn) {
  EXPECT_THAT(See({Using(WatchedNode("a"), 4)}, seconds(0)), IsEmpty());
  const model::NodeState broken = With(WatchedNode("a"), kLost, kNow + seconds(1));
  EXPECT_THAT(See({Using(broken, 4)}, seconds(3)), ElementsAre("excluded a GPUIsLost 2s"));
  EXPECT_THAT(See({Using(broken, 2)}, seconds(9)), IsEmpty());
  EXPECT_THAT(See({broken}, seconds(61)), ElementsAre("vacated a GPUIsLost 60s"));
  EXPECT_THAT(See({broken}, seconds(62)), IsEmpty());
  EXPECT_THAT(See({With(WatchedNode("a"), kLost, kNow + hours(1), ConditionStatus::kFalse)},
                  hours(1) + seconds(1)),
              ElementsAre("returned a GPUIsLost 3600s, back"));
  EXPECT_EQ(watch_.size(), 0U);
}

// Pods that hold parts of its devices are on the node as well as those that hold whole ones.
TEST_F(FaultWatchTest, ANodeIsVacatedWhenItsSlicesAreFree) {
  const auto using_slice = [](model::NodeState node) {
    node.used.Set("nvidia.com/mig-1g.6gb", 1);
    return node;
  };
  const model::NodeState broken = With(WatchedNode("a"), kLost, kNow + seconds(1));
  EXPECT_THAT(See({using_slice(WatchedNode("a"))}, seconds(0)), IsEmpty());
  EXPECT_THAT(See({using_slice(Using(broken, 1))}, seconds(3)),
              ElementsAre("excluded a GPUIsLost 2s"));
  EXPECT_THAT(See({using_slice(broken)}, seconds(9)), IsEmpty());
  EXPECT_THAT(See({broken}, seconds(61)), ElementsAre("vacated a GPUIsLost 60s"));
}

TEST_F(FaultWatchTest, CountsNothingTwiceAfterARestart) {
  const model::NodeState broken = With(WatchedNode("a"), kLost, kNow - hours(5));
  EXPECT_THAT(See({Using(broken, 4)}, seconds(0)), IsEmpty());
  // Since when pods have held its devices nobody knows.
  EXPECT_THAT(See({broken}, seconds(1)), IsEmpty());
  EXPECT_THAT(See({WatchedNode("a")}, hours(1)), ElementsAre("returned a GPUIsLost 21600s, back"));
}

TEST_F(FaultWatchTest, ThatStartsLateReturnsTheLastNewsUnmeasured) {
  EXPECT_THAT(See({With(WatchedNode("a"), kLost, kNow - seconds(59)),
                   With(WatchedNode("b"), kLost, kNow - seconds(60)),
                   With(WatchedNode("undated"), kLost, model::kNoTime)},
                  seconds(0)),
              ElementsAre("excluded a GPUIsLost"));
}

TEST_F(FaultWatchTest, SaysThatANodeIsBackWhenItsLastFaultIsOver) {
  See({WatchedNode("a"), WatchedNode("b")}, seconds(0));
  const model::NodeState one = With(WatchedNode("a"), kLost, kNow);
  EXPECT_THAT(
      See({With(one, "GPURuntimeError", kNow), With(WatchedNode("b"), kLost, kNow)}, seconds(1)),
      ElementsAre("excluded a GPUIsLost 1s", "excluded a GPURuntimeError 1s",
                  "excluded b GPUIsLost 1s"));
  EXPECT_THAT(See({one, With(WatchedNode("b"), kLost, kNow)}, seconds(9)),
              ElementsAre("returned a GPURuntimeError 9s"));
  EXPECT_THAT(See({WatchedNode("a"), With(WatchedNode("b"), kLost, kNow)}, seconds(10)),
              ElementsAre("returned a GPUIsLost 10s, back"));
}

// Work on a node is no fault of it, and keeps pods off all the same.
TEST_F(FaultWatchTest, SaysNothingOfMaintenanceNorThatANodeIsBackMeanwhile) {
  policies::scheduling::HealthConfig health = Health();
  health.conditions.push_back({.type = "Drained", .maintenance = true});
  health.conditions.push_back({.type = "MaintenancePlanned", .max_runtime = hours(1)});
  for (const char* type : {"Drained", "MaintenancePlanned"}) {
    FaultWatch watch(health);
    const auto look = [&](const model::NodeState& node, model::Duration at) {
      return watch.Look(policies::scheduling::FixedView({node}), *policies::scheduling::Catalog(),
                        kNow + at);
    };
    EXPECT_THAT(look(WatchedNode("a"), seconds(0)), IsEmpty());
    const model::NodeState worked_on = With(WatchedNode("a"), type, kNow);
    EXPECT_THAT(look(worked_on, seconds(1)), IsEmpty());
    EXPECT_EQ(look(With(worked_on, kLost, kNow + seconds(1)), seconds(2)).size(), 1U);
    const auto repaired = look(worked_on, seconds(9));
    ASSERT_EQ(repaired.size(), 1U);
    EXPECT_EQ(repaired[0].what, FaultChange::What::kReturned);
    EXPECT_FALSE(repaired[0].is_back) << type;
    EXPECT_THAT(look(WatchedNode("a"), seconds(10)), IsEmpty());
  }
}

TEST_F(FaultWatchTest, TakesNoDeletedReplacedOrUnreadableNodeForRepaired) {
  See({WatchedNode("gone"), WatchedNode("other"), WatchedNode("odd")}, seconds(0));
  const auto broken = [](const std::string& name) { return With(WatchedNode(name), kLost, kNow); };
  EXPECT_EQ(See({broken("gone"), broken("other"), broken("odd")}, seconds(1)).size(), 3U);
  model::NodeState other = WatchedNode("other");
  other.node.uid = "another";
  model::NodeState odd = broken("odd");
  odd.quarantined = true;
  EXPECT_THAT(See({other, odd}, seconds(2)), IsEmpty());
  EXPECT_THAT(See({other, WatchedNode("odd")}, seconds(8)),
              ElementsAre("returned odd GPUIsLost 8s, back"));
}

TEST_F(FaultWatchTest, IsNotFooledByClocksAndRestartsOfDetectors) {
  See({WatchedNode("a"), WatchedNode("undated")}, seconds(0));
  EXPECT_THAT(See({With(WatchedNode("a"), kLost, kNow + minutes(5)),
                   With(WatchedNode("undated"), kLost, model::kNoTime)},
                  seconds(1)),
              ElementsAre("excluded a GPUIsLost 0s", "excluded undated GPUIsLost"));
  // The detector writes the time anew.
  EXPECT_THAT(
      See({With(WatchedNode("a"), kLost, kNow + minutes(30)), WatchedNode("undated")}, minutes(31)),
      ElementsAre("returned undated GPUIsLost, back"));
  EXPECT_THAT(See({WatchedNode("a")}, minutes(35)),
              ElementsAre("returned a GPUIsLost 1800s, back"));
}

TEST_F(FaultWatchTest, SaysWhichFaultsTheBreakerDoubtsEvenWhenTheyEnd) {
  policies::scheduling::HealthConfig health = Health();
  health.breaker.action = policies::scheduling::BreakerAction::kPenalize;
  FaultWatch watch(health);
  std::vector<model::NodeState> well;
  std::vector<model::NodeState> broken;
  for (int i = 0; i < 10; ++i) {
    well.push_back(WatchedNode("n" + std::to_string(i)));
    broken.push_back(i < 6 ? With(well.back(), kLost, kNow) : well.back());
  }
  const auto look = [&](const auto& nodes) {
    return watch.Look(policies::scheduling::FixedView(nodes), *policies::scheduling::Catalog(),
                      kNow);
  };
  EXPECT_THAT(look(well), IsEmpty());
  for (const auto& nodes : {broken, well}) {
    const auto changes = look(nodes);
    EXPECT_EQ(changes.size(), 6U);
    for (const FaultChange& change : changes) EXPECT_TRUE(change.is_suspect);
  }
}

// Of seven nodes six were an error of the detector's, and one is broken.
TEST_F(FaultWatchTest, SaysWhatIsLeftWhenTheBreakerHasClosed) {
  const auto nodes = [](int broken) {
    std::vector<model::NodeState> states;
    for (int i = 0; i < 10; ++i) {
      const model::NodeState node = WatchedNode("n" + std::to_string(i));
      states.push_back(i < broken ? With(node, kLost, kNow) : node);
    }
    return states;
  };
  See(nodes(0), seconds(0));
  EXPECT_THAT(See(nodes(7), seconds(10)), SizeIs(7));
  EXPECT_THAT(See(nodes(7), seconds(300)), IsEmpty());
  EXPECT_THAT(See(nodes(1), seconds(301)), SizeIs(6));
  // Its neighbours' conditions may be on their way.
  EXPECT_THAT(See(nodes(1), seconds(360)), IsEmpty());
  EXPECT_THAT(See(nodes(1), seconds(371)), ElementsAre("excluded n0 GPUIsLost"));
  EXPECT_THAT(See(nodes(1), seconds(400)), IsEmpty());
  EXPECT_THAT(See(nodes(0), seconds(410)), ElementsAre("returned n0 GPUIsLost 410s, back"));
}

TEST_F(FaultWatchTest, ThatStartsWhileTheBreakerIsTrippedSaysWhatIsLeft) {
  std::vector<model::NodeState> broken;
  for (int i = 0; i < 10; ++i) {
    broken.push_back(With(WatchedNode("n" + std::to_string(i)), kLost, kNow - hours(1)));
  }
  EXPECT_THAT(See(broken, seconds(0)), IsEmpty());
  std::vector<model::NodeState> one = broken;
  for (int i = 1; i < 10; ++i) one[i] = WatchedNode("n" + std::to_string(i));
  EXPECT_THAT(See(one, seconds(1)), testing::Each(HasSubstr(", suspect")));
  EXPECT_THAT(See(one, seconds(62)), ElementsAre("excluded n0 GPUIsLost"));
}

TEST(FaultMetrics, MeasureWhatIsKnownByCondition) {
  server::Metrics metrics;
  FaultMetrics faults(metrics);
  policies::scheduling::HealthConfig health = Health();
  health.conditions.push_back({.type = "MaintenancePlanned", .max_runtime = hours(1)});
  health.conditions.push_back({.type = "Drained", .maintenance = true});
  faults.Expect(health);
  EXPECT_THAT(metrics.Exposition(),
              HasSubstr(R"(berth_fault_return_delay_seconds_count{condition="NICLinkDown"} 0)"));
  EXPECT_THAT(metrics.Exposition(), Not(HasSubstr("MaintenancePlanned")));
  EXPECT_THAT(metrics.Exposition(), Not(HasSubstr("Drained")));
  FaultChange change{.fault = {.node = "a", .condition = kLost}, .after = seconds(7)};
  faults.OnChange(change);
  change.what = FaultChange::What::kVacated;
  faults.OnChange(change);
  change.what = FaultChange::What::kReturned;
  change.after = hours(2);
  faults.OnChange(change);
  change.after.reset();
  faults.OnChange(change);
  const std::string text = metrics.Exposition();
  for (const char* line : {R"(berth_fault_exclusion_delay_seconds_sum{condition="GPUIsLost"} 7)",
                           R"(berth_fault_vacated_delay_seconds_sum{condition="GPUIsLost"} 7)",
                           R"(berth_fault_return_delay_seconds_sum{condition="GPUIsLost"} 7200)",
                           R"(berth_fault_return_delay_seconds_count{condition="GPUIsLost"} 1)"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

}  // namespace
}  // namespace berth::controller
