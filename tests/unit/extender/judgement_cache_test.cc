#include "extender/judgement_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/unit/policies/fixtures.h"
#include "tests/unit/policies/world.h"

namespace berth::extender {
namespace {

using model::ConditionStatus;
using namespace policies::scheduling;  // NOLINT: the words of the engine under test

class JudgementCacheTest : public testing::Test {
 protected:
  struct Answer : Judgement {
    bool remembered = false;
  };

  // Of the node at index 0.
  Answer Judge(const model::NodeState& node, model::Time now = kNow,
               const model::Pod& pod = PodAskingFor(kGpu, 1)) {
    const PreparedPod prepared = engine_.Prepare(pod, FixedView(), now);
    if (versions_.end() == 0) versions_.Add();
    if (versions_[0] != node.version) versions_.Set(0, node.version);
    JudgementCache::Lookup lookup = cache_.Open(prepared.key(), now, versions_);
    const auto remembered = lookup.Recall(0);
    return {remembered ? *remembered : lookup.Judge(prepared, 0, node), remembered.has_value()};
  }

  static cluster::NodeVersions VersionsOf(model::NodeIndex nodes) {
    cluster::NodeVersions versions;
    for (model::NodeIndex index = 0; index < nodes; ++index) {
      versions.Add();
      versions.Set(index, index + 1);
    }
    return versions;
  }

  static model::NodeState LostNode(std::uint64_t version) {
    model::NodeState node = GpuNode("n", "NVIDIA-A30");
    node.node.conditions = {{"GPUIsLost", ConditionStatus::kTrue, kNow, kNow}};
    node.version = version;
    return node;
  }

  const SchedulingEngine engine_{Catalog(), "berth.dev", SchedulingConfig{}};
  cluster::NodeVersions versions_;
  JudgementCache cache_{4};
};

TEST_F(JudgementCacheTest, RemembersUntilTheNodeChanges) {
  EXPECT_FALSE(Judge(LostNode(1)).remembered);
  const Answer again = Judge(LostNode(1));
  EXPECT_TRUE(again.remembered);
  EXPECT_FALSE(again.fits);
  EXPECT_EQ(engine_.reasons()[again.reason].text, "node(s) had condition GPUIsLost");
  EXPECT_FALSE(Judge(LostNode(2)).remembered);
}

TEST_F(JudgementCacheTest, JudgesAnewWhenTimeMayHaveChangedTheAnswer) {
  model::NodeState node = GpuNode("n", "NVIDIA-A30");
  node.node.conditions = {{"GPUIsLost", ConditionStatus::kFalse, kNow, kNow}};
  const auto recovered = kNow + std::chrono::minutes(10);
  const std::uint32_t recovering = Judge(node).score;
  EXPECT_EQ(Judge(node, recovered - model::Duration{1}).score, recovering);
  EXPECT_GT(Judge(node, recovered).score, recovering);
}

TEST_F(JudgementCacheTest, ForgetsWhenTheClockIsSetBack) {
  Judge(LostNode(1), kNow + model::Duration{5});
  EXPECT_FALSE(Judge(LostNode(1), kNow).remembered);
}

// What is remembered counts time from a moment of its own.
TEST_F(JudgementCacheTest, AnswersRightForDays) {
  model::NodeState node = GpuNode("n", "NVIDIA-A30");
  const auto recovered = kNow + std::chrono::hours(100);
  node.node.conditions = {
      {"GPUIsLost", ConditionStatus::kFalse, recovered - std::chrono::minutes(10), kNow}};
  const std::uint32_t recovering = Judge(node).score;
  for (auto now = kNow; now < recovered; now += std::chrono::minutes(17)) {
    ASSERT_EQ(Judge(node, now).score, recovering) << now.time_since_epoch().count();
  }
  const std::uint32_t well = Judge(node, recovered).score;
  EXPECT_GT(well, recovering);
  for (int days = 1; days < 10; ++days) {
    ASSERT_EQ(Judge(node, recovered + std::chrono::hours(24 * days)).score, well);
  }
}

TEST_F(JudgementCacheTest, ForgetsOnlyNodesThatChanged) {
  cluster::NodeVersions versions = VersionsOf(200);
  const PreparedPod prepared = engine_.Prepare(PodAskingFor(kGpu, 1), FixedView(), kNow);
  {
    JudgementCache::Lookup lookup = cache_.Open(prepared.key(), kNow, versions);
    for (model::NodeIndex index = 0; index < 200; ++index) {
      lookup.Judge(prepared, index, LostNode(index + 1));
    }
  }
  versions.Set(130, 201);
  versions.Add();
  const JudgementCache::Lookup lookup = cache_.Open(prepared.key(), kNow, versions);
  for (model::NodeIndex index = 0; index < 200; ++index) {
    EXPECT_EQ(lookup.Recall(index).has_value(), index != 130) << index;
  }
  EXPECT_FALSE(lookup.Recall(200).has_value());
}

TEST_F(JudgementCacheTest, ForgetsWhatItIsToldTo) {
  const cluster::NodeVersions versions = VersionsOf(2);
  const PreparedPod prepared = engine_.Prepare(PodAskingFor(kGpu, 1), FixedView(), kNow);
  JudgementCache::Lookup lookup = cache_.Open(prepared.key(), kNow, versions);
  for (const model::NodeIndex index : {0U, 1U}) lookup.Judge(prepared, index, LostNode(index + 1));
  lookup.Forget(1);
  EXPECT_TRUE(lookup.Recall(0).has_value());
  EXPECT_FALSE(lookup.Recall(1).has_value());
}

TEST_F(JudgementCacheTest, ForgetsTheShapeUnusedForLongest) {
  const auto remembers = [&](std::int64_t devices) {
    return Judge(LostNode(1), kNow, PodAskingFor(kGpu, devices)).remembered;
  };
  for (const std::int64_t devices : {1, 2, 3, 4, 1, 5}) remembers(devices);
  EXPECT_TRUE(remembers(1));
  EXPECT_FALSE(remembers(2));
}

TEST_F(JudgementCacheTest, RemembersAsManyShapesHoweverManyNodesThereAre) {
  JudgementCache cache;
  const cluster::NodeVersions versions = VersionsOf(65'000);
  const auto remembers = [&](std::int64_t devices) {
    const PreparedPod prepared = engine_.Prepare(PodAskingFor(kGpu, devices), FixedView(), kNow);
    JudgementCache::Lookup lookup = cache.Open(prepared.key(), kNow, versions);
    const bool remembered = lookup.Recall(64'999).has_value();
    lookup.Judge(prepared, 64'999, LostNode(65'000));
    return remembered;
  };
  const auto shapes = static_cast<std::int64_t>(JudgementCache::kShapes);
  for (std::int64_t devices = 1; devices <= shapes; ++devices) EXPECT_FALSE(remembers(devices));
  for (std::int64_t devices = 1; devices <= shapes; ++devices) EXPECT_TRUE(remembers(devices));
  EXPECT_FALSE(remembers(shapes + 1));
  EXPECT_FALSE(remembers(1)) << "one had to make way";
}

TEST_F(JudgementCacheTest, ShapeIsWhatDecisionsDependOn) {
  const auto shape = [&](const model::Pod& pod) { return engine_.ShapeOf(pod); };
  const model::Pod pod = PodAskingFor(kGpu, 1);
  model::Pod twin = PodAskingFor(kGpu, 1, {{"example.com/note", "x"}});
  twin.name = twin.uid = "other";
  EXPECT_EQ(shape(pod), shape(twin));
  EXPECT_NE(shape(pod), shape(PodAskingFor(kGpu, 2)));
  EXPECT_NE(shape(pod), shape(PodAskingFor(kMnCore, 1)));
  EXPECT_NE(shape(pod), shape(PodAskingFor(kGpu, 1, {{"berth.dev/accelerators", "A30"}})));
  // What is one long value in one pod must not look like two annotations of another.
  const std::string memory = "berth.dev/accelerator-memory";
  const std::string models = "berth.dev/accelerators";
  EXPECT_NE(shape(PodAskingFor(kGpu, 1, {{memory, "1Gi22:berth.dev/accelerators3:A30"}})),
            shape(PodAskingFor(kGpu, 1, {{memory, "1Gi"}, {models, "A30"}})));
  // Nor a resource like an annotation.
  model::Pod two_resources = PodAskingFor("example.com/nic", 1);
  two_resources.requests.Set(models, 5);
  EXPECT_NE(shape(two_resources), shape(PodAskingFor("example.com/nic", 1, {{models, ""}})));
}

// Else the pods of everybody, of every size in cores, would be remembered apart.
TEST_F(JudgementCacheTest, ShapeIsNothingElse) {
  const auto shape = [&](const std::vector<model::Resources::Entry>& requests,
                         model::StringMap annotations = {}) {
    model::Pod pod = PodAskingFor(kGpu, 1, std::move(annotations));
    for (const auto& [resource, amount] : requests) pod.requests.Set(resource, amount);
    return engine_.ShapeOf(pod);
  };
  EXPECT_EQ(shape({{"cpu", 1000}, {"memory", 1}}), shape({{"cpu", 4000}, {"memory", 1 << 30}}));
  EXPECT_EQ(shape({{"rdma/hca", 0}}), shape({}));
  EXPECT_NE(shape({{"rdma/hca", 1}}), shape({})) << "conditions may be about pods that ask for it";
  EXPECT_NE(shape({{std::string(kMnCore), 1}}), shape({{std::string(kMnCore), 2}}));
  for (const char* annotation : {"created-by", "checkpoint-key", "nudged-at"}) {
    EXPECT_EQ(shape({}, {{std::string("berth.dev/") + annotation, "x"}}), shape({}));
  }
}

// Of a breaker that trips and resets all the time, because the pools are small.
SchedulingConfig WithNervousBreaker() {
  SchedulingConfig config;
  auto& health = std::get<PolicySettings<HealthPolicy>>(config.policies.all);
  health.config.breaker = {.fraction = 0.1, .min_nodes = 1, .action = BreakerAction::kPenalize};
  health.config.stale_after = model::Duration{300};
  health.config.unknown_status = Effect::kExclude;
  std::get<PolicySettings<AcceleratorPolicy>>(config.policies.all).mode = Mode::kObserve;
  return config;
}

TEST_F(JudgementCacheTest, SaysWhatTheEngineSaysWhateverHappensInWhateverOrder) {
  const SchedulingEngine engine(Catalog(), "berth.dev", WithNervousBreaker());
  std::set<std::string> keys;
  for (std::uint32_t seed = 0; seed < 10; ++seed) {
    std::mt19937 random(seed);
    const World world(seed);
    const World other(seed + 1000);
    std::vector<model::NodeState> nodes = world.nodes;
    cluster::NodeVersions versions = VersionsOf(static_cast<model::NodeIndex>(nodes.size()));
    model::Time now = kNow;
    JudgementCache cache;
    for (int step = 0; step < 1000; ++step) {
      const auto index = static_cast<model::NodeIndex>(random() % nodes.size());
      if (random() % 4 == 0) {  // the node changes
        nodes[index] = other.nodes[random() % other.nodes.size()];
        versions.Set(index, versions.latest() + 1);
      }
      now += model::Duration{static_cast<std::int64_t>(random() % 7) - 1};
      const model::Pod& pod = random() % 2 == 0 ? world.pod : other.pod;
      const PreparedPod prepared = engine.Prepare(pod, FixedView(nodes), now);
      keys.insert(prepared.key());
      const Judgement expected = prepared.Judge(nodes[index]);
      JudgementCache::Lookup lookup = cache.Open(prepared.key(), now, versions);
      const auto remembered = lookup.Recall(index);
      const Judgement judgement =
          remembered ? *remembered : lookup.Judge(prepared, index, nodes[index]);
      ASSERT_EQ(judgement.fits, expected.fits) << "seed " << seed << ", step " << step;
      ASSERT_EQ(judgement.reason, expected.reason) << "seed " << seed << ", step " << step;
      ASSERT_EQ(judgement.would_refuse, expected.would_refuse) << "seed " << seed;
      ASSERT_EQ(judgement.last, expected.last) << "seed " << seed << ", step " << step;
      ASSERT_EQ(judgement.score, expected.score) << "seed " << seed << ", step " << step;
    }
  }
  // What the view has to do with it did change, again and again.
  EXPECT_GT(keys.size(), 3 * 20u);
}

TEST_F(JudgementCacheTest, ShapeTellsTolerationsThatMatterToAPolicy) {
  const auto shape = [&](std::vector<model::Toleration> tolerations) {
    model::Pod pod = PodAskingFor(kGpu, 1);
    pod.tolerations = std::move(tolerations);
    return engine_.ShapeOf(pod);
  };
  // The two that admission adds to every pod.
  EXPECT_EQ(shape({}), shape({{"node.kubernetes.io/not-ready", "Exists", "", "NoExecute"},
                              {"node.kubernetes.io/unreachable", "Exists", "", "NoExecute"}}));
  EXPECT_NE(shape({}), shape({{"a", "Exists", "", "PreferNoSchedule"}}));
  EXPECT_NE(shape({}), shape({{"a", "Exists", "", ""}}));
  EXPECT_NE(shape({{"a", "", "b", ""}}), shape({{"a", "", "c", ""}}));
  EXPECT_NE(shape({{"a", "", "", ""}}), shape({{"", "", "a", ""}}));
}

}  // namespace
}  // namespace berth::extender
