// Pods that were answered and are not seen bound yet: what they change, and what never.

#include "extender/assumed_pods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/kept_room.h"
#include "policies/scheduling/rank.h"
#include "tests/unit/extender/fixtures.h"
#include "tests/unit/policies/world.h"

namespace berth::extender {
namespace {

using model::Duration;
using policies::scheduling::GpuNode;
using policies::scheduling::kGpu;
using policies::scheduling::kNow;
using policies::scheduling::PodAskingFor;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using policies::scheduling::kV100;
constexpr std::size_t kManyNodes = 40;

/// As kube-scheduler asks, which counts the devices itself.
class Burst : public testing::Test {
 protected:
  Burst() : Burst(policies::scheduling::ShortlistConfig{.size = 1, .default_spreading = false}) {}
  explicit Burst(policies::scheduling::ShortlistConfig shortlist)
      : berth_(Nodes(), {}, std::move(shortlist)) {
    for (std::size_t i = 0; i < kManyNodes; ++i) names_.push_back("n" + std::to_string(i));
  }

  static std::vector<model::NodeState> Nodes() {
    std::vector<model::NodeState> nodes;
    for (std::size_t i = 0; i < kManyNodes; ++i) {
      nodes.push_back(GpuNode("n" + std::to_string(i), kV100));
    }
    return nodes;
  }

  static model::Pod PodOf(const std::string& uid) {
    model::Pod pod = PodAskingFor(kGpu, 1);
    pod.name = pod.uid = uid;
    return pod;
  }

  ExtenderArgs ArgsFor(const std::string& uid) const {
    ExtenderArgs args{.pod = PodOf(uid)};
    args.node_names.assign(names_.begin(), names_.end());
    return args;
  }

  std::vector<std::string> Filter(const std::string& uid, model::Time now = kNow) {
    const ExtenderArgs args = ArgsFor(uid);
    const FilterResult result = berth_.placer->Filter(args, now);
    return {result.node_names.begin(), result.node_names.end()};
  }

  std::string Place(const std::string& uid, model::Time now = kNow) {
    const std::vector<std::string> nodes = Filter(uid, now);
    EXPECT_THAT(nodes, SizeIs(1));
    return nodes.empty() ? "" : nodes.front();
  }

  /// Keeps so many devices of the node from pods whose priority is not above 1.
  void Keep(std::int64_t devices, model::NodeState state) {
    const model::KeptRoom room{.gang = "ml/train",
                               .resource = std::string(kGpu),
                               .devices = devices,
                               .priority = 1,
                               .created = kNow,
                               .ends_by = kNow,
                               .until = kNow + std::chrono::minutes(10)};
    state.node.annotations = {{"berth.dev/kept", model::KeptRoomsText({room})}};
    berth_.snapshot.UpsertNode(std::move(state.node));
  }

  void Bind(const std::string& uid, const std::string& node) {
    model::Pod pod = PodOf(uid);
    pod.node_name = node;
    berth_.snapshot.UpsertPod(pod);
  }

  /// The nodes that a new pod finds started.
  std::set<std::string> Started(model::Time now = kNow) {
    const std::vector<std::int64_t> ranks = berth_.placer->Prioritize(ArgsFor("asks"), now);
    const auto lowest = *std::min_element(ranks.begin(), ranks.end());
    std::set<std::string> started;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      if (ranks[i] > lowest) started.insert(names_[i]);
    }
    return started;
  }

  std::vector<std::string> names_;
  ExtenderUnderTest berth_;
};

TEST_F(Burst, FillsOneNodeBeforeTheNextIsStarted) {
  std::set<std::string> nodes;
  for (int pod = 0; pod < 8; ++pod) nodes.insert(Place("pod-" + std::to_string(pod)));
  EXPECT_THAT(nodes, SizeIs(1));
  EXPECT_FALSE(nodes.contains(Place("pod-8"))) << "it is full";
}

TEST_F(Burst, CountsAPodOnceItsBindingIsSeen) {
  const std::string node = Place("a");
  EXPECT_THAT(Started(), ElementsAre(node));
  Bind("a", node);
  for (int pod = 0; pod < 7; ++pod) EXPECT_EQ(Place("pod-" + std::to_string(pod)), node);
}

TEST_F(Burst, LetsGoOfAPodThatIsBoundElsewhere) {
  const std::string node = Place("a");
  const std::string other = node == "n3" ? "n4" : "n3";
  Bind("a", other);
  EXPECT_THAT(Started(), ElementsAre(other));
}

// Nobody asked between its binding and its end.
TEST_F(Burst, LetsGoOfAPodThatWasBoundAndIsGone) {
  const std::string node = Place("a");
  Bind("a", node);
  model::Pod pod = PodOf("a");
  pod.node_name = node;
  berth_.snapshot.DeletePod(pod);
  EXPECT_THAT(Started(), SizeIs(0));
}

TEST_F(Burst, LetsGoOfAPodThatIsAskedAboutAgain) {
  Place("a");
  EXPECT_THAT(Filter("a"), SizeIs(kManyNodes));
  EXPECT_THAT(Started(), SizeIs(0));
}

TEST_F(Burst, LetsGoOfAPodThatIsNeverBound) {
  const std::string node = Place("a");
  EXPECT_THAT(Started(kNow + AssumedPods::kLongest - Duration{1}), ElementsAre(node));
  EXPECT_THAT(Started(kNow + AssumedPods::kLongest), SizeIs(0));
}

TEST_F(Burst, LetsGoOfAPodWhenTheClockIsSetBack) {
  Place("a");
  EXPECT_THAT(Started(kNow - AssumedPods::kLongest), SizeIs(0));
}

// Another pod of the name of one that was deleted, as a StatefulSet makes them.
TEST_F(Burst, IsNotDeceivedByAnEarlierPodOfThatName) {
  Bind("a", "n3");
  ExtenderArgs args = ArgsFor("new");
  args.pod.name = "a";
  args.node_names = {"n7"};
  berth_.placer->Filter(args, kNow);
  EXPECT_THAT(Started(), ElementsAre("n3", "n7"));
}

TEST_F(Burst, AssumesTheOnlyNodeThatFits) {
  ExtenderArgs args = ArgsFor("a");
  args.node_names = {"n5"};
  berth_.placer->Filter(args, kNow);
  EXPECT_THAT(Started(), ElementsAre("n5"));
}

TEST_F(Burst, AssumesNothingOfWhoBringsNodes) {
  ExtenderArgs args = ArgsFor("a");
  args.node_names = {"n5"};
  args.given.emplace();
  args.given->nodes.push_back(GpuNode("n5", kV100).node);
  EXPECT_THAT(berth_.placer->Filter(args, kNow).node_names, ElementsAre("n5"));
  EXPECT_THAT(Started(), SizeIs(0));
}

TEST_F(Burst, GoesOnWithoutTheNode) {
  const std::string node = Place("a");
  berth_.snapshot.DeleteNode(node);
  EXPECT_NE(Place("b"), node);
}

// Else the pods of a burst would get what is kept before the first of them is seen bound.
TEST_F(Burst, TakesNothingThatIsKeptForAGang) {
  for (const model::NodeState& state : Nodes()) Keep(5, state);
  std::map<std::string, int> pods;
  for (std::size_t pod = 0; pod < 3 * kManyNodes; ++pod) ++pods[Place(std::to_string(pod))];
  EXPECT_THAT(pods, SizeIs(kManyNodes));
  for (const auto& [node, count] : pods) EXPECT_EQ(count, 3) << node;
  EXPECT_THAT(Filter("one more"), IsEmpty());
}

// kube-scheduler knows what is free on the node, and not what is kept of that.
TEST_F(Burst, TakesNothingThatIsKeptOfTheOnlyNodeThatIsLeft) {
  Keep(4, Nodes().front());
  const auto fits = [this](const std::string& uid, std::int32_t priority = 0) {
    ExtenderArgs args{.pod = PodAskingFor(kGpu, 4)};
    args.pod.name = args.pod.uid = uid;
    args.pod.priority = priority;
    args.node_names = {"n0"};
    return !berth_.placer->Filter(args, kNow).node_names.empty();
  };
  EXPECT_TRUE(fits("first"));
  EXPECT_FALSE(fits("second")) << "the first one is not seen bound yet";
  EXPECT_TRUE(fits("first")) << "it is asked about again, so it went nowhere";
  EXPECT_TRUE(fits("urgent", 2)) << "nothing is kept from it";
}

class WithoutAShortlist : public Burst {
 protected:
  WithoutAShortlist() : Burst(policies::scheduling::ShortlistConfig{.size = 0}) {}
};

TEST_F(WithoutAShortlist, NobodyKnowsWhereThePodGoes) {
  EXPECT_THAT(Filter("a"), SizeIs(kManyNodes));
  EXPECT_THAT(Started(), SizeIs(0));
}

TEST(AssumedPods, AreBounded) {
  ExtenderUnderTest berth({GpuNode("first", kV100), GpuNode("others", kV100)});
  AssumedPods pods;
  const auto assume = [&](const std::string& uid, const char* node) {
    model::Pod pod = PodAskingFor(kGpu, 1);
    pod.name = pod.uid = uid;
    pods.Assume(pod, node, *policies::scheduling::Catalog(), kNow);
  };
  assume("first", "first");
  for (std::size_t i = 0; i < AssumedPods::kMost; ++i) assume(std::to_string(i), "others");
  const cluster::Snapshot::Reader reader = berth.snapshot.Read();
  const AssumedView view = pods.Over(reader, "", kNow);
  EXPECT_EQ(view.changed().size(), 1U);
  const auto used = [&](const char* node) { return view.At(*view.Find(node))->used.Get(kGpu); };
  EXPECT_EQ(used("others"), static_cast<std::int64_t>(AssumedPods::kMost));
  EXPECT_EQ(used("first"), 0);
  EXPECT_EQ(reader.At(*reader.Find("others"))->used.Get(kGpu), 0) << "the cluster is as it was";
}

TEST(AssumedPods, HaveABoundedNumberOfRequests) {
  ExtenderUnderTest berth({GpuNode("n1", kV100)});
  AssumedPods pods;
  model::Pod pod = PodAskingFor(kGpu, 2);
  for (int i = 0; i < 20'000; ++i) {
    pod.requests.Set("example.com/" + std::to_string(100'000 + i), i % 2);
  }
  pods.Assume(pod, "n1", *policies::scheduling::Catalog(), kNow);
  const cluster::Snapshot::Reader reader = berth.snapshot.Read();
  const ExpectedPods expected = pods.ExpectedFor(model::Pod(), reader, kNow, nullptr);
  const model::Resources& requests = expected.at(*reader.Find("n1")).front().requests;
  EXPECT_EQ(requests.Get(kGpu), 2);
  EXPECT_EQ(requests.end() - requests.begin(),
            static_cast<std::ptrdiff_t>(1 + model::kMostOtherRequests));
}

// What is assumed may be wrong, so that nobody is refused for it where nothing is kept for gangs.
TEST(AssumedPodsProperty, ChangeNoRefusal) {
  int changed_scores = 0;
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    const policies::scheduling::World world(seed);
    ExtenderUnderTest berth(world.nodes);
    AssumedPods pods;
    for (int i = 0; i < 50; ++i) {
      model::Pod pod = PodAskingFor(i % 3 == 0 ? policies::scheduling::kMnCore : kGpu, 1 + i % 8);
      pod.name = pod.uid = std::to_string(i);
      pods.Assume(pod, "node-" + std::to_string(i), *policies::scheduling::Catalog(), kNow);
    }
    const cluster::Snapshot::Reader reader = berth.snapshot.Read();
    const AssumedView view = pods.Over(reader, "", kNow);
    const policies::scheduling::PreparedPod prepared =
        berth.engine->Prepare(world.pod, reader, kNow);
    ASSERT_EQ(berth.engine->Prepare(world.pod, view, kNow).key(), prepared.key());
    for (model::NodeIndex i = 0; i < view.EndIndex(); ++i) {
      const policies::scheduling::Judgement without = prepared.Judge(*reader.At(i));
      const policies::scheduling::Judgement with = prepared.Judge(*view.At(i));
      ASSERT_EQ(with.fits, without.fits) << "seed " << seed;
      ASSERT_EQ(with.reason, without.reason) << "seed " << seed;
      ASSERT_EQ(with.last, without.last) << "seed " << seed;
      changed_scores += with.score != without.score ? 1 : 0;
    }
  }
  EXPECT_GT(changed_scores, 100);
}

// However requests, bindings and time follow each other, judgements that are remembered never hide
// what is assumed, nor outlive it: a placer that remembers nothing would answer the same.
TEST(AssumedPodsProperty, AreSeenThroughWhatIsRemembered) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](int end) { return std::uniform_int_distribution<>(0, end - 1)(random); };
    std::vector<model::NodeState> nodes;
    for (int i = 0; i < 6; ++i) nodes.push_back(GpuNode("n" + std::to_string(i), kV100));
    ExtenderUnderTest berth(nodes, {}, {.size = 1, .default_spreading = false});
    AssumedPods expected;
    model::Time now = kNow;
    for (int step = 0; step < 300; ++step) {
      ExtenderArgs args{.pod = PodAskingFor(kGpu, 1 + below(2))};
      args.pod.name = args.pod.uid = std::to_string(below(30));
      const std::vector<std::string> names = {"n0", "n1", "n2", "n3", "n4", "n5"};
      args.node_names.assign(names.begin(), names.end());
      now += Duration{below(4)};
      const bool prioritize = below(2) == 0;
      // Where a pod did not get to comes last, which is another rule.
      if (prioritize) args.pod.uid = "new";
      std::vector<policies::scheduling::Judgement> judgements;
      {
        const cluster::Snapshot::Reader reader = berth.snapshot.Read();
        const AssumedView view = expected.Over(reader, args.pod.uid, now);
        const auto prepared = berth.engine->Prepare(args.pod, view, now);
        for (const std::string& name : names) {
          judgements.push_back(prepared.Judge(*view.At(*view.Find(name))));
        }
      }
      if (prioritize) {
        ASSERT_EQ(berth.placer->Prioritize(args, now), policies::scheduling::Rank(judgements))
            << "seed " << seed << ", step " << step;
        continue;
      }
      const FilterResult result = berth.placer->Filter(args, now);
      if (result.node_names.size() > 1) continue;
      ASSERT_EQ(result.node_names.size(), 1U);
      expected.Assume(args.pod, result.node_names[0], *policies::scheduling::Catalog(), now);
      if (below(3) > 0) continue;
      args.pod.node_name = names[static_cast<std::size_t>(below(6))];
      berth.snapshot.UpsertPod(args.pod);
      if (below(2) == 0) berth.snapshot.DeletePod(args.pod);
    }
  }
}

}  // namespace
}  // namespace berth::extender
