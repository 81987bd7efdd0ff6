#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/cluster/cluster_fixtures.h"

namespace berth::cluster {
namespace {

using ::testing::Test;

class SnapshotNodes : public Test {
 protected:
  model::NodeState State(const std::string& name) const {
    const Snapshot::Reader reader = snapshot_.Read();
    return *reader.At(reader.Find(name).value());
  }
  bool Has(const std::string& name) const { return snapshot_.Read().Find(name).has_value(); }
  std::uint64_t Generation() const { return snapshot_.Read().Generation(); }

  Snapshot snapshot_{TestOptions()};
};

TEST_F(SnapshotNodes, AnEmptyClusterHasNoNodes) {
  EXPECT_FALSE(Has("a"));
  EXPECT_EQ(snapshot_.Read().EndIndex(), 0u);
  EXPECT_EQ(snapshot_.Read().At(0), nullptr);
}

TEST_F(SnapshotNodes, TellWhomTheyAvoidAsLongAsTheySayIt) {
  Snapshot snapshot(TestOptions());
  model::Node node = MakeNode("gpu-1");
  node.annotations = {{"berth.dev/avoid", "job-1=2026-01-31T12:00:00Z"}};
  snapshot.UpsertNode(node);
  EXPECT_TRUE(snapshot.Read().Pools().IsAvoided("job-1"));
  EXPECT_FALSE(snapshot.Read().Pools().IsAvoided("job-2"));
  snapshot.UpsertNode(MakeNode("gpu-1"));
  EXPECT_FALSE(snapshot.Read().Pools().IsAvoided("job-1"));
  snapshot.UpsertNode(node);
  snapshot.DeleteNode("gpu-1");
  EXPECT_FALSE(snapshot.Read().Pools().IsAvoided("job-1"));
}

// The count must not drift, whatever becomes of the node.
TEST_F(SnapshotNodes, AreCountedAsBadBeforeAsLongAsTheConditionIsUnknown) {
  model::Time now{model::Duration{1'800'000'000}};
  Snapshot::Options options = TestOptions();
  options.now = [&now] { return now; };
  Snapshot snapshot(options);
  model::Node node = MakeNode("gpu-1");
  const auto turn = [&](model::ConditionStatus status) {
    now += std::chrono::minutes(5);
    node.conditions = {{"GPUIsLost", status, now, now}};
    snapshot.UpsertNode(node);
  };
  const auto were_bad = [&](model::AcceleratorCatalog::Index accelerator = 0) {
    return snapshot.Read()
        .Pools()
        .NodesWith(accelerator, "GPUIsLost", model::ConditionStatus::kTrue, model::kNoTime,
                   std::chrono::minutes(5))
        .was_bad;
  };
  turn(model::ConditionStatus::kTrue);
  EXPECT_EQ(were_bad(), 0u);
  turn(model::ConditionStatus::kUnknown);
  EXPECT_EQ(were_bad(), 1u);
  turn(model::ConditionStatus::kUnknown);
  EXPECT_EQ(were_bad(), 1u);
  turn(model::ConditionStatus::kFalse);
  EXPECT_EQ(were_bad(), 0u);
  turn(model::ConditionStatus::kUnknown);
  EXPECT_EQ(were_bad(), 0u);
  turn(model::ConditionStatus::kTrue);
  turn(model::ConditionStatus::kUnknown);
  EXPECT_EQ(were_bad(), 1u);

  // To another pool and back.
  node.labels.clear();
  node.capacity.Set(kMnCore, 4);
  snapshot.UpsertNode(node);
  EXPECT_EQ(were_bad(), 0u);
  EXPECT_EQ(were_bad(snapshot.catalog().IndexOf("MN-Core")), 1u);
  node = MakeNode("gpu-1");
  turn(model::ConditionStatus::kUnknown);
  EXPECT_EQ(were_bad(), 1u);

  // Another node of that name was never seen.
  snapshot.DeleteNode("gpu-1");
  EXPECT_EQ(were_bad(), 0u);
  turn(model::ConditionStatus::kUnknown);
  EXPECT_EQ(were_bad(), 0u);
}

TEST_F(SnapshotNodes, TellForWhichPlacesTheyKeepRoomAsLongAsTheySayIt) {
  const model::KeptRoom room{.gang = "ml/train",
                             .resource = "nvidia.com/gpu",
                             .devices = 8,
                             .created = model::Time(model::Duration{1'800'000'000})};
  const model::PlanningPlace place(0, model::kForever);
  const auto kept = [&] { return snapshot_.Read().LastKept(place); };
  model::Node node = MakeNode("gpu-1");
  EXPECT_EQ(kept(), std::nullopt);
  node.annotations = {{"berth.dev/kept", model::KeptRoomsText({room})}};
  snapshot_.UpsertNode(node);
  EXPECT_EQ(kept(), PlaceOf(room));
  snapshot_.UpsertNode(MakeNode("gpu-1"));
  EXPECT_EQ(kept(), std::nullopt);
  snapshot_.UpsertNode(node);
  snapshot_.DeleteNode("gpu-1");
  EXPECT_EQ(kept(), std::nullopt);
}

TEST_F(SnapshotNodes, AreFoundByNameAndIndex) {
  snapshot_.UpsertNode(MakeNode("a"));
  snapshot_.UpsertNode(MakeNode("b"));
  const Snapshot::Reader reader = snapshot_.Read();
  for (const char* name : {"a", "b"}) {
    const std::optional<model::NodeIndex> index = reader.Find(name);
    ASSERT_TRUE(index.has_value());
    EXPECT_LT(*index, reader.EndIndex());
    EXPECT_EQ(reader.At(*index)->node.name, name);
  }
}

// Of more names than are looked up at once, some of them twice, some unknown, some of nodes that
// went or have not come yet.
TEST_F(SnapshotNodes, AreFoundAllAtOnceAsOneByOne) {
  for (int i = 0; i < 100; ++i) snapshot_.UpsertNode(MakeNode("node-" + std::to_string(i)));
  for (int i = 0; i < 100; i += 7) snapshot_.DeleteNode("node-" + std::to_string(i));
  snapshot_.UpsertPod(MakePod("early", "node-100", 1));
  std::vector<std::string> asked = {"", "node-", "node-5", "node-5"};
  for (int i = 105; i >= 0; --i) asked.push_back("node-" + std::to_string(i));
  const std::vector<std::string_view> names(asked.begin(), asked.end());

  const Snapshot::Reader reader = snapshot_.Read();
  const std::vector<model::NodeIndex> found = reader.FindAll(names);
  ASSERT_EQ(found.size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(found[i], reader.Find(names[i]).value_or(kNoNode)) << names[i];
    if (found[i] == kNoNode) continue;
    EXPECT_EQ(reader.At(found[i])->node.name, names[i]);
    EXPECT_EQ(reader.Versions()[found[i]], reader.At(found[i])->version);
  }
}

// In the order in which they came, as kube-scheduler asks, with some left out and several workers
// at once, while places change hands.
TEST_F(SnapshotNodes, AreFoundInTheOrderInWhichTheyCame) {
  std::mt19937 random(1);
  std::vector<std::string> all = {"", "x"};
  for (int i = 0; i < 300; ++i) all.push_back("node-" + std::to_string(i));
  for (const std::string& name : all) snapshot_.UpsertNode(MakeNode(name));
  for (std::size_t workers = 1; workers <= 16; ++workers) {
    const std::string gone = all[random() % all.size()];
    snapshot_.DeleteNode(gone);
    if (workers % 2 == 0) snapshot_.UpsertNode(MakeNode("late-" + std::to_string(workers)));
    std::vector<std::string_view> names;
    std::vector<std::size_t> next;
    for (std::size_t i = 0; i < workers; ++i) next.push_back(i * all.size() / workers);
    for (std::size_t i = 0; i < 2 * all.size(); ++i) {
      std::size_t& at = next[random() % workers];
      at += random() % 10 == 0 ? 2 : 1;
      names.push_back(all[at % all.size()]);
    }
    const Snapshot::Reader reader = snapshot_.Read();
    const std::vector<model::NodeIndex> found = reader.FindAll(names);
    ASSERT_EQ(found.size(), names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      ASSERT_EQ(found[i], reader.Find(names[i]).value_or(kNoNode)) << names[i];
    }
  }
}

TEST_F(SnapshotNodes, AreMatchedWithTheCatalogueWhenTheyChange) {
  model::Node node = MakeNode("a");
  snapshot_.UpsertNode(node);
  EXPECT_EQ(State("a").accelerator, snapshot_.catalog().IndexOf("V100"));
  node.labels.clear();
  snapshot_.UpsertNode(node);
  EXPECT_EQ(State("a").accelerator, model::AcceleratorCatalog::kNone);
  node.capacity.Set(kMnCore, 4);
  snapshot_.UpsertNode(node);
  EXPECT_EQ(State("a").accelerator, snapshot_.catalog().IndexOf("MN-Core"));
}

// Two entries for the same label, one for another resource, and one for what is left.
std::shared_ptr<const model::AcceleratorCatalog> OverlappingCatalog() {
  std::vector<model::AcceleratorSpec> specs(4);
  specs[0] = {.name = "V100", .resource = kGpu, .nodes = {{"example.com/model", "v100"}}};
  specs[1] = {.name = "V100S", .resource = kGpu, .nodes = {{"example.com/model", "v100s"}}};
  specs[2] = {.name = "MN-Core", .resource = kMnCore};
  specs[3] = {.name = "Other", .resource = kGpu};
  return std::make_shared<const model::AcceleratorCatalog>(
      *model::AcceleratorCatalog::Make(std::move(specs)));
}

TEST(SnapshotCatalogue, TellsOfNodesThatTwoEntriesRecogniseOnce) {
  std::vector<std::string> told;
  const auto catalog = OverlappingCatalog();
  Snapshot snapshot({.catalog = catalog,
                     .labels = {},
                     .on_ambiguous = [&](const std::string& node, auto entry, auto hidden) {
                       told.push_back(node + ' ' + (*catalog)[entry].name + ' ' +
                                      (*catalog)[hidden].name);
                     }});
  model::Node node = MakeNode("plain");  // V100, and "Other" is only for what is left
  snapshot.UpsertNode(node);
  EXPECT_TRUE(told.empty());
  node.name = "special";
  node.labels = {{"example.com/model", "v100s"}};
  for (int heartbeat = 0; heartbeat < 3; ++heartbeat) {
    node.conditions = {
        {.type = "Ready", .last_heartbeat = model::Time(model::Duration(heartbeat))}};
    snapshot.UpsertNode(node);
  }
  EXPECT_EQ(told, (std::vector<std::string>{"special V100 V100S"}));
  node = MakeNode("two-kinds");
  node.capacity.Set(kMnCore, 4);
  snapshot.UpsertNode(node);
  EXPECT_EQ(told.back(), "two-kinds V100 MN-Core");
  // The first entry counts all the same.
  const Snapshot::Reader reader = snapshot.Read();
  EXPECT_EQ(reader.At(*reader.Find("special"))->accelerator, catalog->IndexOf("V100"));
}

// Pods use resources, so that what an entry is called has nothing to do with them.
TEST(SnapshotCatalogue, ARenamedAcceleratorKeepsItsPods) {
  const auto used = [](const char* name) {
    std::vector<model::AcceleratorSpec> specs(2);
    specs[0] = {.name = "First", .resource = kMnCore};
    specs[1] = {.name = name, .resource = kGpu, .nodes = {{"example.com/model", "^v100$"}}};
    Snapshot snapshot({.catalog = std::make_shared<const model::AcceleratorCatalog>(
                           *model::AcceleratorCatalog::Make(std::move(specs))),
                       .labels = {}});
    snapshot.UpsertPod(MakePod("p", "a", 3));
    snapshot.UpsertNode(MakeNode("a"));
    EXPECT_EQ(snapshot.Read().At(0)->accelerator, snapshot.catalog().IndexOf(name));
    return UsedGpus(snapshot, "a");
  };
  EXPECT_EQ(used("V100"), 3);
  EXPECT_EQ(used("Volta"), 3);
}

TEST_F(SnapshotNodes, KeepTheirIndexWhileTheyLiveAndLeaveItAfterwards) {
  snapshot_.UpsertNode(MakeNode("a"));
  snapshot_.UpsertNode(MakeNode("b"));
  const auto index_a = snapshot_.Read().Find("a");
  const auto index_b = snapshot_.Read().Find("b");
  snapshot_.DeleteNode("a");
  EXPECT_EQ(snapshot_.Read().At(*index_a), nullptr);
  EXPECT_EQ(snapshot_.Read().Find("b"), index_b);
  snapshot_.UpsertNode(MakeNode("c"));
  EXPECT_EQ(snapshot_.Read().Find("c"), index_a);
  EXPECT_EQ(snapshot_.Read().EndIndex(), 2u);
}

TEST_F(SnapshotNodes, AVersionNeverRepeatsForAnIndex) {
  snapshot_.UpsertNode(MakeNode("a"));
  const std::uint64_t before = State("a").version;
  snapshot_.DeleteNode("a");
  snapshot_.UpsertNode(MakeNode("b"));
  EXPECT_EQ(snapshot_.Read().Find("b"), 0u);
  EXPECT_GT(State("b").version, before);
}

TEST_F(SnapshotNodes, ARepeatedNodeIsNoChange) {
  snapshot_.UpsertNode(MakeNode("a"));
  const std::uint64_t version = State("a").version;
  const std::uint64_t generation = Generation();
  model::Node again = MakeNode("a");
  again.labels.emplace_back("kubernetes.io/hostname", "nobody asks");
  again.allocatable.Set("cpu", 1000);
  snapshot_.UpsertNode(again);
  EXPECT_EQ(State("a").version, version);
  EXPECT_EQ(Generation(), generation);
}

TEST_F(SnapshotNodes, EveryRealChangeRaisesVersionAndGeneration) {
  model::Node node = MakeNode("a");
  node.conditions = {{.type = "Ready", .status = model::ConditionStatus::kTrue}};
  snapshot_.UpsertNode(node);
  const std::vector<void (*)(model::Node&)> changes = {
      [](model::Node& n) { n.conditions[0].last_heartbeat += std::chrono::minutes(5); },
      [](model::Node& n) { n.conditions[0].status = model::ConditionStatus::kFalse; },
      [](model::Node& n) { n.labels.emplace_back("nvidia.com/gpu.memory", "32768"); },
      [](model::Node& n) { n.allocatable.Set(kGpu, 7); },
  };
  for (const auto& change : changes) {
    const std::uint64_t version = State("a").version;
    const std::uint64_t generation = Generation();
    change(node);
    snapshot_.UpsertNode(node);
    EXPECT_EQ(State("a").node, node);
    EXPECT_GT(State("a").version, version);
    EXPECT_GT(Generation(), generation);
  }
}

TEST_F(SnapshotNodes, ADeletedNodeIsAChange) {
  snapshot_.UpsertNode(MakeNode("a"));
  const std::uint64_t generation = Generation();
  snapshot_.DeleteNode("unknown");
  EXPECT_EQ(Generation(), generation);
  snapshot_.DeleteNode("a");
  EXPECT_GT(Generation(), generation);
}

TEST_F(SnapshotNodes, AListReplacesWhatIsThereOnlyAtItsEnd) {
  for (const char* name : {"a", "b", "c"}) snapshot_.UpsertNode(MakeNode(name));
  snapshot_.BeginReplace(Kind::kNodes);
  snapshot_.UpsertNode(MakeNode("b"));
  snapshot_.UpsertNode(MakeNode("d"));
  EXPECT_EQ(NodeNames(snapshot_), (std::vector<std::string>{"a", "b", "c", "d"}));
  snapshot_.EndReplace(Kind::kNodes);
  EXPECT_EQ(NodeNames(snapshot_), (std::vector<std::string>{"b", "d"}));
}

TEST_F(SnapshotNodes, AListMayHaveAnotherNodeOfTheName) {
  model::Node broken = MakeNode("a");
  broken.uid = "first";
  broken.conditions = {{"GPUIsLost", model::ConditionStatus::kTrue}};
  model::Node repaired = broken;
  repaired.conditions = {{"GPUIsLost", model::ConditionStatus::kFalse}};
  model::Node another = repaired;
  another.uid = "second";
  for (const auto& [node, remembers] : {std::pair(repaired, true), std::pair(another, false)}) {
    snapshot_.UpsertNode(broken);
    const std::uint64_t generation = Generation();
    snapshot_.BeginReplace(Kind::kNodes);
    snapshot_.UpsertNode(node);
    snapshot_.EndReplace(Kind::kNodes);
    EXPECT_EQ(State("a").past.empty(), !remembers) << node.uid;
    EXPECT_GT(Generation(), generation);
  }
}

TEST_F(SnapshotNodes, AListThatStartsOverForgetsItsFirstBeginning) {
  snapshot_.BeginReplace(Kind::kNodes);
  snapshot_.UpsertNode(MakeNode("a"));
  snapshot_.BeginReplace(Kind::kNodes);
  snapshot_.UpsertNode(MakeNode("b"));
  snapshot_.EndReplace(Kind::kNodes);
  EXPECT_EQ(NodeNames(snapshot_), (std::vector<std::string>{"b"}));
}

TEST_F(SnapshotNodes, AreSyncedOnceBothKindsWereListed) {
  EXPECT_FALSE(snapshot_.Synced());
  snapshot_.BeginReplace(Kind::kNodes);
  snapshot_.EndReplace(Kind::kNodes);
  EXPECT_FALSE(snapshot_.Synced());
  snapshot_.BeginReplace(Kind::kPods);
  EXPECT_FALSE(snapshot_.Synced());
  snapshot_.EndReplace(Kind::kPods);
  EXPECT_TRUE(snapshot_.Synced());
  snapshot_.BeginReplace(Kind::kPods);  // a relist serves the last snapshot meanwhile
  EXPECT_TRUE(snapshot_.Synced());
}

TEST_F(SnapshotNodes, LastHeardIsKeptByKind) {
  const Snapshot::Clock::time_point now(std::chrono::seconds(-5));  // an epoch is no "never"
  EXPECT_FALSE(snapshot_.LastHeard(Kind::kPods).has_value());
  snapshot_.MarkHeard(Kind::kPods, now);
  EXPECT_EQ(snapshot_.LastHeard(Kind::kPods), now);
  EXPECT_FALSE(snapshot_.LastHeard(Kind::kNodes).has_value());
}

TEST_F(SnapshotNodes, TheRevisionIsKeptByKindAndMovesOnAtTheEndOfAList) {
  const auto version = [this](Kind kind) { return snapshot_.Read().ResourceVersion(kind); };
  EXPECT_EQ(version(Kind::kNodes), 0U);
  snapshot_.BeginReplace(Kind::kNodes);
  snapshot_.MarkHeard(Kind::kNodes, {});  // a page of it
  EXPECT_EQ(version(Kind::kNodes), 0U);
  snapshot_.EndReplace(Kind::kNodes, 7);
  EXPECT_EQ(version(Kind::kNodes), 7U);
  snapshot_.MarkHeard(Kind::kNodes, {}, 9);
  EXPECT_EQ(version(Kind::kNodes), 9U);
  snapshot_.BeginReplace(Kind::kNodes);
  snapshot_.MarkHeard(Kind::kNodes, {});
  EXPECT_EQ(version(Kind::kNodes), 9U) << "what was known stays known";
  EXPECT_EQ(version(Kind::kPods), 0U);
}

}  // namespace
}  // namespace berth::cluster
