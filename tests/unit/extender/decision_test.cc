#include "extender/decision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "policies/scheduling/rank.h"
#include "tests/unit/extender/fixtures.h"
#include "tests/unit/policies/world.h"

namespace berth::extender {
namespace {

using model::ConditionStatus;
using policies::scheduling::GpuNode;
using policies::scheduling::PodAskingFor;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

using policies::scheduling::kV100;

/// Keeps what it is told, if it wants to be told.
struct Recorder : DecisionObserver {
  bool Wants() override {
    ++asked;
    return wants;
  }
  void OnDecision(const Decision& decision) override { decisions.push_back(decision); }

  bool wants = true;
  int asked = 0;
  std::vector<Decision> decisions;
};

/// A placer over the snapshot of an ExtenderUnderTest, with observers.
class DecisionTest : public testing::Test {
 protected:
  void Start(std::vector<model::NodeState> nodes,
             const policies::scheduling::SchedulingConfig& config = {}) {
    cluster.emplace(std::move(nodes), config);
    placer.emplace(cluster->engine, cluster->snapshot, metrics,
                   std::vector<DecisionObserver*>{&recorder, &second});
  }

  /// The decision that filter of `names` makes.
  Decision Filtered(std::vector<std::string_view> names, model::StringMap annotations = {}) {
    placer->Filter(
        {PodAskingFor(policies::scheduling::kGpu, 1, std::move(annotations)), std::move(names)},
        policies::scheduling::kNow);
    return recorder.decisions.empty() ? Decision{} : recorder.decisions.back();
  }

  Decision Prioritized(std::vector<std::string_view> names, model::StringMap annotations = {}) {
    placer->Prioritize(
        {PodAskingFor(policies::scheduling::kGpu, 1, std::move(annotations)), std::move(names)},
        policies::scheduling::kNow);
    return recorder.decisions.empty() ? Decision{} : recorder.decisions.back();
  }

  Recorder recorder;
  Recorder second;
  std::optional<ExtenderUnderTest> cluster;
  server::Metrics metrics;
  std::optional<Placer> placer;
};

model::NodeState Lost(std::string name) {
  return WithCondition(GpuNode(std::move(name), kV100), "GPUIsLost", ConditionStatus::kTrue);
}

TEST_F(DecisionTest, TellsWhichPodWhenAndWhy) {
  Start({GpuNode("good", kV100), Lost("lost"), Lost("lost-too")});
  const Decision decision = Filtered({"lost", "good", "lost-too", "ghost"});
  EXPECT_EQ(decision.time, policies::scheduling::kNow);
  EXPECT_EQ(decision.pod_namespace, "team");
  EXPECT_EQ(decision.pod_name, "train");
  EXPECT_EQ(decision.pod_uid, "uid");
  EXPECT_EQ(decision.verb, Verb::kFilter);
  EXPECT_EQ(decision.fitting, 1u);
  EXPECT_THAT(decision.refused,
              ElementsAre(RefusalCount{"health", "node(s) had condition GPUIsLost", 2},
                          RefusalCount{"engine", "node(s) were unknown to Berth", 1}));
  ASSERT_THAT(decision.top, SizeIs(1));
  EXPECT_EQ(decision.top[0].name, "good");
  EXPECT_EQ(decision.top[0].rank, policies::scheduling::kMaxRank);
  EXPECT_EQ(decision.decided_by, "only one node fits");
}

TEST_F(DecisionTest, TellsTheResourceVersionsThatItWasMadeAt) {
  Start({GpuNode("a", kV100), GpuNode("b", kV100)});
  cluster->snapshot.MarkHeard(cluster::Kind::kNodes, {}, 41);
  cluster->snapshot.MarkHeard(cluster::Kind::kPods, {}, 43);
  for (const Decision& decision : {Filtered({"a"}), Prioritized({"a", "b"})}) {
    EXPECT_EQ(decision.node_resource_version, 41u);
    EXPECT_EQ(decision.pod_resource_version, 43u);
  }
}

// They are of whenever whoever asks has read them.
TEST_F(DecisionTest, NodesThatTheRequestBringsHaveNoResourceVersion) {
  Start({});
  cluster->snapshot.MarkHeard(cluster::Kind::kNodes, {}, 41);
  ExtenderArgs args{.pod = PodAskingFor(policies::scheduling::kGpu, 1), .node_names = {"own"}};
  args.given.emplace();
  args.given->nodes.push_back(GpuNode("own", kV100).node);
  placer->Filter(args, policies::scheduling::kNow);
  ASSERT_THAT(recorder.decisions, SizeIs(1));
  EXPECT_EQ(recorder.decisions[0].node_resource_version, 0u);
}

TEST_F(DecisionTest, WhereNoNodeFitsThereAreOnlyReasons) {
  Start({Lost("lost")});
  const Decision decision = Filtered({"lost"});
  EXPECT_EQ(decision.fitting, 0u);
  EXPECT_THAT(decision.top, IsEmpty());
  EXPECT_THAT(decision.refused, SizeIs(1));
  EXPECT_EQ(decision.decided_by, "no node fits");
}

TEST_F(DecisionTest, FilterLeavesTheDecisionToPrioritizeWhereSeveralFit) {
  Start({GpuNode("a", kV100), GpuNode("b", kV100)});
  Filtered({"a", "b"});
  EXPECT_THAT(recorder.decisions, IsEmpty());
  EXPECT_EQ(recorder.asked, 0);
  EXPECT_EQ(Prioritized({"a", "b"}).verb, Verb::kPrioritize);
}

TEST_F(DecisionTest, NamesThePolicyThatTellsTheFirstFromTheSecond) {
  Start({GpuNode("v100", kV100), GpuNode("a100", "NVIDIA-A100-SXM4-40GB"),
         WithCondition(GpuNode("slow", kV100), "PCIeLinkDegraded", ConditionStatus::kTrue)});
  const struct {
    std::vector<std::string_view> names;
    model::StringMap annotations;
    std::string best;
    std::string decided_by;
  } cases[] = {
      {{"slow", "v100"}, {}, "v100", "health"},
      {{"a100", "v100"}, {}, "v100", "thrift"},
      {{"v100", "a100"}, {{"berth.dev/accelerators", "A100,V100"}}, "a100", "accelerator"},
      {{"v100", "a100"}, {{"berth.dev/accelerators", "V100,A100"}}, "v100", "accelerator"},
  };
  for (const auto& test : cases) {
    const Decision decision = Prioritized(test.names, test.annotations);
    EXPECT_EQ(decision.top.at(0).name, test.best);
    EXPECT_EQ(decision.decided_by, test.decided_by) << test.best;
    EXPECT_GT(decision.top.at(0).score, decision.top.at(1).score);
  }
}

TEST_F(DecisionTest, NamesThePolicyThatPutsTheSecondLast) {
  auto tainted = GpuNode("tainted", kV100);
  tainted.node.taints = {{"dedicated", "", "PreferNoSchedule"}};
  policies::scheduling::SchedulingConfig config;
  using Packing = policies::scheduling::PolicySettings<policies::scheduling::PackingPolicy>;
  std::get<Packing>(config.policies.all).weight = 1;  // it does so at any weight but 0
  Start({tainted, GpuNode("free", "NVIDIA-A100-SXM4-40GB")}, config);
  const Decision decision = Prioritized({"tainted", "free"});
  EXPECT_EQ(decision.top.at(0).name, "free");
  EXPECT_LT(decision.top.at(0).score, decision.top.at(1).score);
  EXPECT_EQ(decision.decided_by, "packing");
}

TEST_F(DecisionTest, NeverNamesAPolicyThatIsOnlyObserved) {
  policies::scheduling::SchedulingConfig config;
  using Thrift = policies::scheduling::PolicySettings<policies::scheduling::ThriftPolicy>;
  std::get<Thrift>(config.policies.all).mode = policies::scheduling::Mode::kObserve;
  Start({GpuNode("v100", kV100), GpuNode("a100", "NVIDIA-A100-SXM4-40GB", 4)}, config);
  const Decision decision = Prioritized({"v100", "a100"});
  EXPECT_EQ(decision.top.at(0).name, "a100");
  EXPECT_EQ(decision.decided_by, "packing");
}

TEST_F(DecisionTest, NamesNoPolicyForEqualNodes) {
  Start({GpuNode("a", kV100), GpuNode("b", kV100)});
  EXPECT_EQ(Prioritized({"b", "a"}).decided_by, "equal");
  EXPECT_EQ(recorder.decisions.back().top.at(0).name, "b");  // in the order asked
}

TEST_F(DecisionTest, HasTheBestThreeInTheOrderOfTheirScores) {
  std::vector<model::NodeState> nodes;
  for (const char* name : {"six", "two", "four", "none"}) nodes.push_back(GpuNode(name, kV100));
  Start(std::move(nodes));
  for (const auto& [name, used] : {std::pair{"six", 6}, {"two", 2}, {"four", 4}}) {
    model::Pod pod = PodAskingFor(policies::scheduling::kGpu, used);
    pod.name = name;
    pod.node_name = name;
    cluster->snapshot.UpsertPod(pod);
  }
  const Decision decision = Prioritized({"none", "two", "six", "four"});
  std::vector<std::string> names;
  for (const RankedNode& node : decision.top) names.push_back(node.name);
  EXPECT_THAT(names, ElementsAre("six", "four", "two"));
  EXPECT_EQ(decision.fitting, 4u);
  EXPECT_EQ(decision.decided_by, "packing");
}

std::vector<std::string> NamesOf(const std::vector<RankedNode>& nodes) {
  std::vector<std::string> names;
  for (const RankedNode& node : nodes) names.push_back(node.name);
  return names;
}

TEST_F(DecisionTest, OfEqualNodesTheFirstAskedAboutAreTheBestThree) {
  Start({GpuNode("a", kV100), GpuNode("b", kV100), GpuNode("c", kV100), GpuNode("d", kV100),
         WithCondition(GpuNode("slow", kV100), "PCIeLinkDegraded", ConditionStatus::kTrue)});
  EXPECT_THAT(NamesOf(Prioritized({"slow", "d", "b", "c", "a"}).top), ElementsAre("d", "b", "c"));
  EXPECT_THAT(NamesOf(Prioritized({"slow", "b"}).top), ElementsAre("b", "slow"));
  EXPECT_THAT(NamesOf(Prioritized({"ghost", "slow"}).top), ElementsAre("slow"));
  EXPECT_THAT(NamesOf(Prioritized({"a", "slow", "a"}).top), ElementsAre("a", "a", "slow"));
}

// Whatever the order and the number of the nodes, and however often one is named.
TEST_F(DecisionTest, HasTheThreeThatSortingAllWouldPutFirst) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    const policies::scheduling::World world(seed);
    Start(world.nodes);
    ExtenderArgs args{.pod = world.pod};
    for (const model::NodeState& node : world.nodes) args.node_names.push_back(node.node.name);
    std::mt19937 random(seed);
    std::shuffle(args.node_names.begin(), args.node_names.end(), random);
    args.node_names.resize(random() % args.node_names.size());
    for (std::size_t i = 0; i < args.node_names.size(); i += 10) {
      args.node_names.push_back(args.node_names[i]);
    }
    const std::vector<std::int64_t> ranks = placer->Prioritize(args, policies::scheduling::kNow);
    const cluster::Snapshot::Reader view = cluster->snapshot.Read();
    const auto prepared = cluster->engine->Prepare(args.pod, view, policies::scheduling::kNow);
    std::vector<RankedNode> fitting;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      const auto judgement = prepared.Judge(*view.At(*view.Find(args.node_names[i])));
      if (!judgement.fits) continue;
      fitting.push_back({std::string(args.node_names[i]), ranks[i], judgement.score});
    }
    std::stable_sort(fitting.begin(), fitting.end(), [](const auto& a, const auto& b) {
      return std::pair(a.rank, a.score) > std::pair(b.rank, b.score);
    });
    EXPECT_EQ(recorder.decisions.back().fitting, fitting.size());
    fitting.resize(std::min<std::size_t>(fitting.size(), 3));
    ASSERT_EQ(recorder.decisions.back().top, fitting) << "seed " << seed;
  }
}

// Its name may be asked about twice, and of its equals another may come before it.
TEST_F(DecisionTest, TellsTheOneNodeOfAShortlistFirst) {
  std::vector<model::NodeState> nodes;
  std::vector<std::string> names;
  for (int i = 0; i < 20; ++i) names.push_back("node-" + std::to_string(i));
  for (const std::string& name : names) nodes.push_back(GpuNode(name, kV100));
  Start(std::move(nodes));
  server::Metrics more;
  Placer shortened(cluster->engine, cluster->snapshot, more, {&recorder},
                   {.size = 1, .default_spreading = false});
  ExtenderArgs args{.pod = PodAskingFor(policies::scheduling::kGpu, 1)};
  for (const char* uid : {"1", "2", "3", "4", "5"}) {
    args.pod.uid = uid;
    args.node_names.assign(names.begin(), names.end());
    args.node_names.insert(args.node_names.end(), names.rbegin(), names.rend());
    const FilterResult result = shortened.Filter(args, policies::scheduling::kNow);
    ASSERT_THAT(result.node_names, SizeIs(1));
    const Decision& decision = recorder.decisions.back();
    EXPECT_EQ(decision.fitting, 40u);
    EXPECT_EQ(decision.top.at(0).name, result.node_names[0]);
    EXPECT_EQ(decision.top.at(0).rank, policies::scheduling::kMaxRank);
    EXPECT_EQ(decision.decided_by, "equal");
  }
}

TEST_F(DecisionTest, IsWorkedOutForThoseAloneWhoWantIt) {
  Start({GpuNode("a", kV100)});
  second.wants = false;
  Filtered({"a"});
  EXPECT_THAT(recorder.decisions, SizeIs(1));
  EXPECT_THAT(second.decisions, IsEmpty());
  EXPECT_EQ(second.asked, 1);
}

// An observer that reads the snapshot or is slow must not hold the writers up.
TEST_F(DecisionTest, IsToldAfterTheClusterWasLetGo) {
  struct Writer : DecisionObserver {
    bool Wants() override { return true; }
    void OnDecision(const Decision&) override {
      std::thread([this] { snapshot->DeleteNode("a"); }).join();
    }
    cluster::Snapshot* snapshot = nullptr;
  } writer;
  Start({GpuNode("a", kV100)});
  writer.snapshot = &cluster->snapshot;
  server::Metrics more;
  Placer watched(cluster->engine, cluster->snapshot, more, {&writer});
  const ExtenderArgs args{PodAskingFor(policies::scheduling::kGpu, 1), {"a"}};
  EXPECT_THAT(watched.Filter(args, policies::scheduling::kNow).node_names, SizeIs(1));
  EXPECT_EQ(cluster->snapshot.Read().Find("a"), std::nullopt);
}

}  // namespace
}  // namespace berth::extender
