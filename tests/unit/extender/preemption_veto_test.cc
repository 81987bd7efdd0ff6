// Evictions that are not needed, because some node fits the pod as it is.

#include "extender/preemption_veto.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "tests/unit/extender/fixtures.h"

namespace berth::extender {
namespace {

using policies::scheduling::Catalog;
using policies::scheduling::FixedView;
using policies::scheduling::GpuNode;
using policies::scheduling::kGpu;
using policies::scheduling::kNow;
using policies::scheduling::kV100;
using policies::scheduling::PodAskingFor;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A pod of the scheduler "berth" that asks for GPUs and a core.
model::Pod Urgent(const std::string& uid = "urgent", std::int64_t devices = 4) {
  model::Pod pod = PodAskingFor(kGpu, devices);
  pod.name = pod.uid = uid;
  pod.requests.Set("cpu", 1000);
  pod.scheduler = "berth";
  pod.priority = 10;
  return pod;
}

/// A node with room for anything, as kube-scheduler counts it.
model::NodeState Roomy(const std::string& name) {
  model::NodeState state = GpuNode(name, kV100);
  state.node.allocatable.Set("cpu", 32000);
  state.node.allocatable.Set("pods", 110);
  return state;
}

Planning PlannedBy(bool leads) {
  return {.controller_leads = [leads] { return leads; }, .schedulers = {"other", "berth"}};
}

class VetoTest : public testing::Test {
 protected:
  PreemptionOutcome Judge(const model::Pod& pod, model::Time now = kNow) {
    return veto_.Judge(pod, *Catalog(), now);
  }

  PreemptionVeto veto_{PlannedBy(true)};
};

TEST_F(VetoTest, IsForPodsThatArePlanned) {
  EXPECT_EQ(Judge(Urgent()), PreemptionOutcome::kVetoed);
  model::Pod pod = Urgent();
  pod.scheduler = "default-scheduler";
  EXPECT_EQ(Judge(pod), PreemptionOutcome::kNotPlanned);
  pod = Urgent();
  pod.requests = {};
  pod.requests.Set("cpu", 1000);
  EXPECT_EQ(Judge(pod), PreemptionOutcome::kNotPlanned) << "asks for no accelerator";
  EXPECT_EQ(Judge(Urgent("")), PreemptionOutcome::kNotPlanned) << "could be held up for ever";
}

TEST_F(VetoTest, IsNotForPodsWhoseNeedsAreUnknown) {
  model::Pod pod = Urgent();
  pod.attached_volumes = true;
  EXPECT_EQ(Judge(pod), PreemptionOutcome::kUnknownNeed);
  pod = Urgent();
  pod.scored.hard_spread = true;
  EXPECT_EQ(Judge(pod), PreemptionOutcome::kUnknownNeed);
}

TEST(Veto, NeedsAControllerThatLeads) {
  const PreemptionVeto away(PlannedBy(false));
  EXPECT_EQ(away.Judge(Urgent(), *Catalog(), kNow), PreemptionOutcome::kNoController);
  const PreemptionVeto unknown({.controller_leads = {}, .schedulers = {"berth"}});
  EXPECT_EQ(unknown.Judge(Urgent(), *Catalog(), kNow), PreemptionOutcome::kNoController);
}

// The controller needs a moment to nominate a node, in which kube-scheduler may try often.
TEST_F(VetoTest, EndsAfterFiveSecondsAndThreeTimes) {
  for (int time = 0; time < 20; ++time) {
    EXPECT_EQ(Judge(Urgent(), kNow + seconds(4)), PreemptionOutcome::kVetoed) << time;
    veto_.OnVetoed("urgent", kNow);
  }
  EXPECT_EQ(Judge(Urgent(), kNow + seconds(5)), PreemptionOutcome::kVetoedBefore);
  EXPECT_EQ(Judge(Urgent("another"), kNow + seconds(5)), PreemptionOutcome::kVetoed);
}

TEST_F(VetoTest, LastsForThreeTimes) {
  for (int time = 0; time < 3; ++time) {
    EXPECT_EQ(Judge(Urgent(), kNow + seconds(7 * time)), PreemptionOutcome::kVetoed) << time;
    veto_.OnVetoed("urgent", kNow + seconds(7 * time));
  }
  EXPECT_EQ(Judge(Urgent(), kNow + seconds(21)), PreemptionOutcome::kVetoedBefore);
}

TEST_F(VetoTest, EndsThirtySecondsAfterTheFirstTime) {
  veto_.OnVetoed("urgent", kNow);
  EXPECT_EQ(Judge(Urgent(), kNow + seconds(29)), PreemptionOutcome::kVetoed);
  veto_.OnVetoed("urgent", kNow + seconds(29));
  EXPECT_EQ(Judge(Urgent(), kNow + seconds(30)), PreemptionOutcome::kVetoedBefore);
  EXPECT_EQ(Judge(Urgent(), kNow - seconds(30)), PreemptionOutcome::kVetoedBefore)
      << "the clock was set back";
}

TEST(Veto, RemembersTheLastPods) {
  PreemptionVeto veto(PlannedBy(true), 2);
  const auto exhaust = [&](const std::string& uid) {
    for (int time = 0; time < 3; ++time) veto.OnVetoed(uid, kNow);
  };
  for (const char* uid : {"a", "b", "c"}) exhaust(uid);
  const auto judge = [&](const std::string& uid) {
    return veto.Judge(Urgent(uid), *Catalog(), kNow + PreemptionVeto::kLeast);
  };
  EXPECT_EQ(judge("a"), PreemptionOutcome::kVetoed) << "forgotten";
  EXPECT_EQ(judge("b"), PreemptionOutcome::kVetoedBefore);
  EXPECT_EQ(judge("c"), PreemptionOutcome::kVetoedBefore);
}

TEST(PreemptionOutcomes, HaveDifferentNames) {
  std::set<std::string_view> names;
  for (const PreemptionOutcome outcome : kAllPreemptionOutcomes) names.insert(NameOf(outcome));
  EXPECT_EQ(names.size(), kAllPreemptionOutcomes.size());
  EXPECT_EQ(NameOf(PreemptionOutcome::kVetoed), "vetoed");
  EXPECT_EQ(NameOf(PreemptionOutcome::kNotPlanned), "not_planned");
}

/// Whether the pod fits the last of three nodes, where the first two are full.
class Fitting : public testing::Test {
 protected:
  bool Fits(const model::Pod& pod = Urgent()) {
    std::vector<model::NodeState> nodes = {Roomy("full"), Roomy("full-too"), node_};
    for (int i = 0; i < 2; ++i) nodes[static_cast<std::size_t>(i)].used.Set(kGpu, 8);
    const policies::scheduling::SchedulingEngine engine(Catalog(), "berth.dev", {});
    return FitsSomewhere(pod, FixedView(nodes), expected_, engine, kNow);
  }

  model::NodeState node_ = Roomy("free");
  ExpectedPods expected_;
};

TEST_F(Fitting, IsThereIfOneNodeFits) {
  EXPECT_TRUE(Fits());
  EXPECT_FALSE(Fits(Urgent("large", 9)));
}

TEST_F(Fitting, CountsWhateverRunsThere) {
  node_.used.Set(kGpu, 4);
  EXPECT_TRUE(Fits());
  node_.used.Set("cpu", 31500);
  EXPECT_FALSE(Fits()) << "half a core is left";
  node_.used.Set("cpu", 0);
  node_.pods = 110;
  EXPECT_FALSE(Fits());
}

TEST_F(Fitting, AsksKubeSchedulersFiltersAboutTheNode) {
  node_.node.unschedulable = true;
  EXPECT_FALSE(Fits());
}

TEST_F(Fitting, AsksThePolicies) {
  node_ = WithCondition(node_, "GPUIsLost", model::ConditionStatus::kTrue);
  EXPECT_FALSE(Fits());
}

TEST_F(Fitting, LeavesRoomForThePodsThatAreExpected) {
  expected_[2] = {Urgent("first", 2), Urgent("second", 2)};
  EXPECT_TRUE(Fits());
  expected_[2].push_back(Urgent("third", 1));
  EXPECT_FALSE(Fits());
  expected_[2] = {model::Pod{.host_ports = {{.port = 80}}}};
  model::Pod with_port = Urgent();
  with_port.host_ports = {{.port = 80}};
  EXPECT_FALSE(Fits(with_port));
  with_port.host_ports = {{.port = 81}};
  EXPECT_TRUE(Fits(with_port));
}

/// Two nodes: victims run on "busy", and nothing on "idle", which is not in kube-scheduler's
/// sample.
class Preempting : public testing::Test {
 protected:
  Preempting() {
    for (const char* name : {"busy", "idle"}) snapshot_.UpsertNode(Roomy(name).node);
    Bind("victim", "busy", 8);
  }

  void Bind(const std::string& uid, const std::string& node, std::int64_t devices) {
    model::Pod pod = PodAskingFor(kGpu, devices);
    pod.name = pod.uid = uid;
    pod.node_name = node;
    snapshot_.UpsertPod(pod);
  }

  void Nominate(const std::string& uid, std::int32_t priority) {
    model::Pod pod = Urgent(uid, 8);
    pod.priority = priority;
    pod.nominated_node = "idle";
    nominated_.OnUpsert(pod);
  }

  /// The nodes on which pods may be evicted.
  std::vector<std::string> Preempt(const model::Pod& pod = Urgent(), model::Time now = kNow) {
    PreemptionArgs args{.pod = pod, .nodes = {{.name = "busy", .uids = {"victim"}}}};
    std::vector<std::string> names;
    for (const NodeVictims& node : placer_.Preempt(args, now)) names.emplace_back(node.name);
    return names;
  }

  std::string Counted() {
    std::string counted;
    for (const prometheus::MetricFamily& family : metrics_.registry().Collect()) {
      if (family.name != "berth_preemptions_total") continue;
      for (const prometheus::ClientMetric& series : family.metric) {
        for (int i = 0; i < series.counter.value; ++i) counted += series.label.at(0).value + " ";
      }
    }
    return counted;
  }

  cluster::Snapshot snapshot_{{.catalog = Catalog(), .labels = {}, .whole_pods = true}};
  cluster::NominatedPods nominated_{Catalog()};
  server::Metrics metrics_;
  bool leads_ = true;
  Placer placer_{std::make_shared<const policies::scheduling::SchedulingEngine>(
                     Catalog(), "berth.dev", policies::scheduling::SchedulingConfig{}),
                 snapshot_,
                 metrics_,
                 {},
                 {.size = 1, .default_spreading = false},
                 &nominated_,
                 {.controller_leads = [this] { return leads_; }, .schedulers = {"berth"}}};
};

TEST_F(Preempting, EvictsNobodyWhileANodeFits) {
  EXPECT_THAT(Preempt(), IsEmpty());
  EXPECT_EQ(Counted(), "vetoed ");
}

TEST_F(Preempting, EvictsWhereNoNodeFits) {
  Bind("running", "idle", 5);
  EXPECT_THAT(Preempt(), ElementsAre("busy"));
  EXPECT_EQ(Counted(), "no_room ");
}

TEST_F(Preempting, EvictsIfTheVetoesDoNotHelp) {
  for (int time = 0; time < 3; ++time) EXPECT_THAT(Preempt(), IsEmpty());
  const model::Time later = kNow + PreemptionVeto::kLeast;
  EXPECT_THAT(Preempt(Urgent(), later), ElementsAre("busy"));
  EXPECT_THAT(Preempt(Urgent("another"), later), IsEmpty());
}

TEST_F(Preempting, EvictsWithoutAController) {
  leads_ = false;
  EXPECT_THAT(Preempt(), ElementsAre("busy"));
  EXPECT_EQ(Counted(), "no_controller ");
}

// As kube-scheduler counts them.
TEST_F(Preempting, LeavesDevicesToNominatedPodsOfNoLowerPriority) {
  Nominate("lower", 9);
  EXPECT_THAT(Preempt(), IsEmpty());
  Nominate("equal", 10);
  EXPECT_THAT(Preempt(), ElementsAre("busy"));
}

TEST_F(Preempting, DoesNotCountThePodsOwnNomination) {
  Nominate("urgent", 10);
  EXPECT_THAT(Preempt(), IsEmpty());
}

TEST_F(Preempting, LeavesDevicesToPodsOnTheirWay) {
  ExtenderArgs args{.pod = Urgent("before", 8)};
  args.node_names = {"idle"};
  EXPECT_EQ(placer_.Filter(args, kNow).node_names.size(), 1U);
  EXPECT_THAT(Preempt(), ElementsAre("busy"));
}

// What evicting pods does not cure stays out, whether it is vetoed or not.
TEST_F(Preempting, LeavesOutNodesThatFilterRefuses) {
  leads_ = false;
  snapshot_.UpsertNode(
      WithCondition(Roomy("busy"), "GPUIsLost", model::ConditionStatus::kTrue).node);
  EXPECT_THAT(Preempt(), IsEmpty());
}

}  // namespace
}  // namespace berth::extender
