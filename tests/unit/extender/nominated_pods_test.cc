// Pods that wait for a nominated node: they count where nodes are compared, and refuse nobody.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "model/kept_room.h"
#include "tests/unit/extender/fixtures.h"
#include "tests/unit/policies/world.h"

namespace berth::extender {
namespace {

using policies::scheduling::GpuNode;
using policies::scheduling::kGpu;
using policies::scheduling::kNow;
using policies::scheduling::kV100;
using policies::scheduling::PodAskingFor;
using policies::scheduling::World;
using ::testing::ElementsAre;
using ::testing::SizeIs;

model::Pod GpuPod(const std::string& uid, std::int64_t devices = 1) {
  model::Pod pod = PodAskingFor(kGpu, devices);
  pod.name = pod.uid = uid;
  return pod;
}

/// `size` nodes of eight GPUs, n0, n1 and so on.
std::vector<model::NodeState> GpuNodes(std::size_t size) {
  std::vector<model::NodeState> nodes;
  for (std::size_t i = 0; i < size; ++i) {
    nodes.push_back(GpuNode("n" + std::to_string(i), kV100));
  }
  return nodes;
}

class Nominations : public testing::Test {
 protected:
  void Nominate(const std::string& uid, const std::string& node, std::int64_t devices = 1) {
    model::Pod pod = GpuPod(uid, devices);
    pod.nominated_node = node;
    berth_.nominated.OnUpsert(pod);
  }

  void Bind(const std::string& uid, const std::string& node, std::int64_t devices = 1) {
    model::Pod pod = GpuPod(uid, devices);
    pod.node_name = node;
    berth_.snapshot.UpsertPod(pod);
  }

  std::vector<std::string> Filter(const std::string& uid, std::int64_t devices = 1,
                                  const std::vector<std::string>& names = {"n0", "n1", "n2"}) {
    ExtenderArgs args{.pod = GpuPod(uid, devices)};
    args.node_names.assign(names.begin(), names.end());
    const FilterResult result = berth_.placer->Filter(args, kNow);
    return {result.node_names.begin(), result.node_names.end()};
  }

  std::map<std::string, std::int64_t> Ranks(const std::string& uid) {
    ExtenderArgs args{.pod = GpuPod(uid)};
    args.node_names = {"n0", "n1", "n2"};
    const std::vector<std::int64_t> ranks = berth_.placer->Prioritize(args, kNow);
    return {{"n0", ranks[0]}, {"n1", ranks[1]}, {"n2", ranks[2]}};
  }

  ExtenderUnderTest berth_{GpuNodes(3), {}, {.size = 1, .default_spreading = false}};
};

TEST_F(Nominations, StartANodeThatTheNextPodFills) {
  // On each node in turn, because one of the three would be chosen anyway.
  for (const char* node : {"n0", "n1", "n2"}) {
    Nominate("planned", node);
    EXPECT_THAT(Filter(std::string("next-to-") + node), ElementsAre(node));
    Filter(std::string("next-to-") + node);  // asked again, so that it is assumed nowhere
  }
}

TEST_F(Nominations, LeaveNothingOfTheirDevicesToOthers) {
  Bind("running", "n1", 4);
  Nominate("planned", "n1", 4);
  EXPECT_NE(Filter("next").at(0), "n1") << "it would be the best, but for the nomination";
  EXPECT_EQ(Ranks("another")["n1"], 0);
}

TEST_F(Nominations, DoNotCountAgainstThePodItself) {
  Bind("running", "n1", 4);
  Nominate("planned", "n1", 4);
  EXPECT_EQ(Ranks("planned")["n1"], 10);
  EXPECT_THAT(Filter("planned", 4), ElementsAre("n1"));
}

// kube-scheduler itself counts nominated pods when it filters, by their priority.
TEST_F(Nominations, RefuseNoNode) {
  for (const char* node : {"n0", "n1", "n2"}) Nominate(std::string("on-") + node, node, 8);
  EXPECT_THAT(Filter("next"), SizeIs(1));
  EXPECT_THAT(Filter("another", 1, {"n2"}), ElementsAre("n2"));
}

TEST_F(Nominations, CountForWhatIsLeftBesideDevicesThatAreKept) {
  const model::KeptRoom room{.gang = "ml/train",
                             .resource = std::string(kGpu),
                             .devices = 4,
                             .created = kNow,
                             .ends_by = kNow,
                             .until = kNow + std::chrono::minutes(10)};
  model::NodeState node = GpuNodes(3)[2];
  node.node.annotations = {{"berth.dev/kept", model::KeptRoomsText({room})}};
  berth_.snapshot.UpsertNode(node.node);
  Nominate("planned", "n2", 4);
  EXPECT_THAT(Filter("next", 1, {"n2"}), SizeIs(0));
  EXPECT_THAT(Filter("planned", 4, {"n2"}), ElementsAre("n2"));
}

// The answer for a nominated node makes kube-scheduler assume the pod there.
TEST_F(Nominations, CountOnceForAPodThatIsAssumedToo) {
  Bind("running", "n1", 6);
  Nominate("planned", "n1", 1);
  EXPECT_THAT(Filter("planned", 1, {"n1"}), ElementsAre("n1"));
  EXPECT_THAT(Filter("next"), ElementsAre("n1")) << "one device is left";
}

TEST_F(Nominations, CountOnceForAPodThatIsBound) {
  Bind("running", "n1", 6);
  Nominate("planned", "n1", 1);
  Bind("planned", "n1", 1);
  EXPECT_THAT(Filter("next"), ElementsAre("n1")) << "one device is left";
}

TEST_F(Nominations, EndWhenTheyAreWithdrawn) {
  Bind("running", "n1", 4);
  Nominate("planned", "n1", 4);
  berth_.nominated.OnDelete(GpuPod("planned"));
  EXPECT_THAT(Filter("next"), ElementsAre("n1"));
}

TEST_F(Nominations, MayNameANodeThatIsNotThere) {
  Nominate("planned", "gone");
  EXPECT_THAT(Filter("next"), SizeIs(1));
}

// Judgements are remembered by the shape of the pod, and none of them may have a nomination in it.
TEST_F(Nominations, AreNotRemembered) {
  Bind("running", "n1", 4);
  EXPECT_EQ(Ranks("now")["n1"], 10);
  Nominate("planned", "n1", 4);
  EXPECT_EQ(Ranks("now")["n1"], 0);
  berth_.nominated.OnDelete(GpuPod("planned"));
  EXPECT_EQ(Ranks("now")["n1"], 10);
}

// kube-scheduler asks about a nominated node alone, and scans in the same attempt if it is refused.
TEST_F(Nominations, AreNoFirstAttempt) {
  model::NodeState broken =
      WithCondition(GpuNodes(1)[0], "GPUIsLost", model::ConditionStatus::kTrue);
  berth_.snapshot.UpsertNode(broken.node);
  EXPECT_THAT(Filter("planned", 1, {"n0"}), SizeIs(0));
  EXPECT_THAT(Filter("planned"), SizeIs(1)) << "a shortlist";
  EXPECT_THAT(Filter("planned"), SizeIs(2)) << "only now it is asked about again";
}

// The answer was yes, but the pod did not get there.
TEST_F(Nominations, AreNoShortlistThatFailed) {
  EXPECT_THAT(Filter("planned", 1, {"n0"}), ElementsAre("n0"));
  EXPECT_THAT(Filter("planned"), SizeIs(1));
  EXPECT_THAT(Ranks("planned"), testing::Each(testing::Pair(testing::_, 10)))
      << "no node comes last";
}

/// The cluster of a world, with pods that use its devices.
void Fill(const World& world, ExtenderUnderTest& berth) {
  for (const model::NodeState& node : world.nodes) {
    model::Pod pod = PodAskingFor(kGpu, node.used.Get(kGpu));
    pod.name = "on-" + node.node.name;
    pod.node_name = node.node.name;
    berth.snapshot.UpsertPod(pod);
  }
}

/// Nominates some nodes of the world for pods, and one that it does not have.
void NominateSome(const World& world, std::mt19937& random, cluster::NominatedPods& nominated) {
  const auto below = [&](std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random);
  };
  for (std::size_t i = 0; i < 40; ++i) {
    model::Pod pod =
        GpuPod("nominated-" + std::to_string(i), 1 + static_cast<std::int64_t>(below(8)));
    pod.priority = static_cast<std::int32_t>(below(3));
    pod.nominated_node = i == 0 ? "gone" : world.nodes[below(world.nodes.size())].node.name;
    nominated.OnUpsert(pod);
  }
}

std::map<std::string, std::string> Verdicts(const FilterResult& result) {
  std::map<std::string, std::string> verdicts;
  for (const std::string_view node : result.node_names) verdicts[std::string(node)] = "fits";
  for (const auto* list : {&result.failed, &result.unresolvable}) {
    for (const FailedNode& node : *list) verdicts[std::string(node.name)] = node.reason;
  }
  return verdicts;
}

TEST(NominationProperties, FilterSaysTheSameWithAndWithoutThem) {
  int with_reasons = 0;
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    const World world(seed);
    ExtenderUnderTest without(world.nodes);
    ExtenderUnderTest with(world.nodes);
    Fill(world, without);
    Fill(world, with);
    std::mt19937 random(seed);
    NominateSome(world, random, with.nominated);
    ExtenderArgs args{.pod = world.pod};
    for (const model::NodeState& node : world.nodes) args.node_names.push_back(node.node.name);
    // Twice, because the second answer comes from memory.
    for (int time = 0; time < 2; ++time) {
      const auto expected = Verdicts(without.placer->Filter(args, kNow));
      ASSERT_EQ(Verdicts(with.placer->Filter(args, kNow)), expected) << "seed " << seed;
      with_reasons += expected.begin()->second != "fits" ? 1 : 0;
    }
  }
  EXPECT_GT(with_reasons, 5);
}

// Of nodes that differ in nothing but what runs there and what is promised.
TEST(NominationProperties, NoNodeIsChosenWhoseDevicesAreAllPromisedWhileOthersAreFree) {
  int promised_away = 0;
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](int end) { return std::uniform_int_distribution<>(0, end - 1)(random); };
    ExtenderUnderTest berth(GpuNodes(10), {}, {.size = 1, .default_spreading = false});
    std::map<std::string, std::int64_t> free;
    ExtenderArgs args{.pod = GpuPod("asked", 1 + below(4))};
    for (int i = 0; i < 10; ++i) {
      const std::string node = "n" + std::to_string(i);
      const int used = below(9);
      const int promised = below(9 - used);
      model::Pod bound = GpuPod("bound-" + node, used);
      bound.node_name = node;
      berth.snapshot.UpsertPod(bound);
      // By two pods, because a node may have several.
      for (const int part : {0, 1}) {
        model::Pod pod = GpuPod(node + "-" + std::to_string(part), (promised + part) / 2);
        pod.nominated_node = node;
        berth.nominated.OnUpsert(pod);
      }
      free[node] = 8 - used - promised;
    }
    std::vector<std::string> names;
    // Those where kube-scheduler lets it run without the nominations.
    for (const auto& [node, unused] : free) names.push_back(node);
    args.node_names.assign(names.begin(), names.end());
    const std::int64_t asked = args.pod.requests.Get(kGpu);
    const bool one_is_free =
        std::ranges::any_of(free, [&](const auto& node) { return node.second >= asked; });
    if (!one_is_free) continue;
    const FilterResult result = berth.placer->Filter(args, kNow);
    ASSERT_EQ(result.node_names.size(), 1U);
    ASSERT_GE(free.at(std::string(result.node_names[0])), asked) << "seed " << seed;
    promised_away +=
        std::ranges::any_of(free, [&](const auto& node) { return node.second < asked; }) ? 1 : 0;
  }
  EXPECT_GT(promised_away, 50);
}

}  // namespace
}  // namespace berth::extender
