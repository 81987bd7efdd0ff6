#include "cluster/quarantine.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/cluster/cluster_fixtures.h"

namespace berth::cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

kube::UnreadableObject OddNode(const std::string& name, const std::string& error = "odd") {
  return {.kind = "Node", .namespace_ = "", .name = name, .uid = "", .error = error};
}

kube::UnreadableObject Odd(const model::Pod& pod) {
  return {.kind = "Pod",
          .namespace_ = pod.namespace_,
          .name = pod.name,
          .uid = pod.uid,
          .error = "odd"};
}

kube::UnreadableObject OddService(const std::string& name_space, const std::string& name) {
  return {.kind = "Service", .namespace_ = name_space, .name = name, .uid = "", .error = "odd"};
}

std::vector<std::pair<std::string, std::string>> Kept(const Quarantine& quarantine) {
  std::vector<std::pair<std::string, std::string>> kept;
  quarantine.ForEach([&](const auto& name, const auto& error) { kept.emplace_back(name, error); });
  return kept;
}

/// Puts that many nodes: "n0", "n1" and so on.
void PutNumbered(Quarantine& quarantine, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) quarantine.Put(OddNode("n" + std::to_string(i)));
}

void RemoveNumbered(Quarantine& quarantine, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) quarantine.Remove("n" + std::to_string(i));
}

TEST(QuarantineTest, KeepsWhatIsWrongUntilTheObjectCanBeReadOrIsGone) {
  Quarantine quarantine;
  EXPECT_TRUE(quarantine.empty());
  quarantine.Put(OddNode("b", "first"));
  quarantine.Put(OddNode("b", "second"));
  quarantine.Put(Odd(MakePod("p", "n", 1)));
  EXPECT_EQ(quarantine.size(), 2U);
  EXPECT_THAT(Kept(quarantine), ElementsAre(Pair("b", "second"), Pair("ml/p", "odd")));
  quarantine.Remove("b");
  quarantine.Remove("unknown");
  EXPECT_THAT(Kept(quarantine), ElementsAre(Pair("ml/p", "odd")));
  quarantine.Remove("ml/p");
  EXPECT_TRUE(quarantine.empty());
}

TEST(QuarantineTest, WhatAListDoesNotHaveIsGone) {
  Quarantine quarantine;
  quarantine.Put(OddNode("a"));
  quarantine.Put(OddNode("b"));
  quarantine.BeginReplace();
  quarantine.Put(OddNode("b"));
  EXPECT_EQ(quarantine.size(), 2U);
  quarantine.EndReplace();
  EXPECT_THAT(Kept(quarantine), ElementsAre(Pair("b", "odd")));
}

TEST(QuarantineTest, ObjectsWithoutANameAreCountedByList) {
  Quarantine quarantine;
  for (const int nameless : {2, 3, 1, 0}) {
    quarantine.BeginReplace();
    for (int i = 0; i < nameless; ++i) quarantine.Put(OddNode(""));
    quarantine.EndReplace();
    EXPECT_EQ(quarantine.nameless(), static_cast<std::size_t>(nameless));
    EXPECT_EQ(quarantine.size(), static_cast<std::size_t>(nameless));
    EXPECT_EQ(quarantine.empty(), nameless == 0);
  }
}

TEST(QuarantineTest, WhatItKeepsIsBounded) {
  Quarantine quarantine;
  const std::string error(1'000'000, 'x');
  quarantine.BeginReplace();
  for (std::size_t i = 0; i < Quarantine::kMaxNames + 7; ++i) {
    quarantine.Put(OddNode("n" + std::to_string(i), error));
  }
  quarantine.EndReplace();
  EXPECT_EQ(quarantine.size(), Quarantine::kMaxNames + 7);
  std::size_t bytes = 0;
  for (const auto& [name, kept] : Kept(quarantine)) bytes += kept.size();
  EXPECT_EQ(Kept(quarantine).size(), Quarantine::kMaxNames);
  EXPECT_LE(bytes, Quarantine::kMaxNames * Quarantine::kMaxError);
}

TEST(QuarantineTest, ObjectsBeyondTheNamesAreCountedOnceAndLeaveToo) {
  Quarantine quarantine;
  PutNumbered(quarantine, Quarantine::kMaxNames);
  for (int heartbeat = 0; heartbeat < 3; ++heartbeat) {
    quarantine.Put(OddNode("beyond"));
    quarantine.Put(OddNode("deleted"));
    EXPECT_EQ(quarantine.size(), Quarantine::kMaxNames + 2);
  }
  quarantine.Remove("deleted");
  RemoveNumbered(quarantine, Quarantine::kMaxNames);
  EXPECT_EQ(quarantine.size(), 1U);
  quarantine.Remove("beyond");
  EXPECT_TRUE(quarantine.empty());
}

TEST(QuarantineTest, AnObjectForWhoseNameThereIsRoomAgainIsStillOne) {
  Quarantine quarantine;
  PutNumbered(quarantine, Quarantine::kMaxNames);
  quarantine.Put(OddNode("beyond"));
  RemoveNumbered(quarantine, Quarantine::kMaxNames);
  quarantine.Put(OddNode("beyond"));
  EXPECT_EQ(quarantine.size(), 1U);
  EXPECT_THAT(Kept(quarantine), ElementsAre(Pair("beyond", "odd")));
  quarantine.Remove("beyond");
  EXPECT_TRUE(quarantine.empty());
}

TEST(QuarantineTest, WhatAListDoesNotHaveIsGoneThoughNobodyKnowsItsName) {
  Quarantine quarantine;
  PutNumbered(quarantine, Quarantine::kMaxNames + 7);
  quarantine.BeginReplace();
  PutNumbered(quarantine, Quarantine::kMaxNames + 3);
  quarantine.EndReplace();
  EXPECT_EQ(quarantine.size(), Quarantine::kMaxNames + 3);
  quarantine.BeginReplace();
  quarantine.EndReplace();
  EXPECT_TRUE(quarantine.empty());
}

TEST(QuarantineTest, ObjectsBeyondTheHashesAreCountedByList) {
  constexpr std::size_t kTold = Quarantine::kMaxNames + Quarantine::kMaxHashes;
  Quarantine quarantine;
  quarantine.BeginReplace();
  PutNumbered(quarantine, kTold + 7);
  quarantine.EndReplace();
  EXPECT_EQ(quarantine.size(), kTold + 7);
  RemoveNumbered(quarantine, kTold + 7);
  EXPECT_EQ(quarantine.size(), 7U) << "nobody can tell which ones left";
  quarantine.BeginReplace();
  quarantine.EndReplace();
  EXPECT_TRUE(quarantine.empty());
}

class SnapshotQuarantine : public ::testing::Test {
 protected:
  model::NodeState State(const std::string& node) const {
    const Snapshot::Reader reader = snapshot_.Read();
    return *reader.At(reader.Find(node).value());
  }

  void List(Kind kind, const std::function<void()>& objects) {
    snapshot_.BeginReplace(kind);
    objects();
    snapshot_.EndReplace(kind);
  }

  std::size_t Count(Kind kind) const { return snapshot_.Read().Quarantined(kind).size(); }

  Snapshot snapshot_{TestOptions()};
};

TEST_F(SnapshotQuarantine, ANodeStaysAsItWasAndIsMarked) {
  snapshot_.UpsertNode(MakeNode("a"));
  snapshot_.UpsertPod(MakePod("p", "a", 2));
  const model::NodeState before = State("a");
  snapshot_.QuarantineNode(OddNode("a"));
  const model::NodeState state = State("a");
  EXPECT_TRUE(state.quarantined);
  EXPECT_GT(state.version, before.version);
  EXPECT_EQ(state.node, before.node);
  EXPECT_EQ(state.accelerator, before.accelerator);
  EXPECT_EQ(state.used.Get(kGpu), 2);
  snapshot_.QuarantineNode(OddNode("a"));
  EXPECT_EQ(State("a").version, state.version) << "nothing new";
  EXPECT_EQ(Count(Kind::kNodes), 1U);
}

TEST_F(SnapshotQuarantine, ANodeThatCanBeReadAgainLeavesThoughItIsAsItWas) {
  snapshot_.UpsertNode(MakeNode("a"));
  snapshot_.QuarantineNode(OddNode("a"));
  const std::uint64_t version = State("a").version;
  snapshot_.UpsertNode(MakeNode("a"));
  EXPECT_FALSE(State("a").quarantined);
  EXPECT_GT(State("a").version, version);
  EXPECT_EQ(Count(Kind::kNodes), 0U);
}

TEST_F(SnapshotQuarantine, ANodeThatNeverCouldBeReadHasAName) {
  snapshot_.QuarantineNode(OddNode("a"));
  EXPECT_TRUE(State("a").quarantined);
  EXPECT_EQ(State("a").node, (model::Node{.name = "a"}));
  EXPECT_EQ(State("a").accelerator, model::AcceleratorCatalog::kNone);
  EXPECT_EQ(snapshot_.Read().Pools().Nodes(0), 0U);
  snapshot_.UpsertNode(MakeNode("a"));
  EXPECT_EQ(snapshot_.Read().Pools().Nodes(0), 1U);
  EXPECT_FALSE(State("a").quarantined);
}

TEST_F(SnapshotQuarantine, ADeletedNodeLeavesNothingBehind) {
  snapshot_.UpsertNode(MakeNode("a"));
  snapshot_.QuarantineNode(OddNode("a"));
  snapshot_.DeleteNode("a");
  EXPECT_TRUE(NodeNames(snapshot_).empty());
  EXPECT_EQ(Count(Kind::kNodes), 0U);
  snapshot_.UpsertNode(MakeNode("b"));  // in the same place
  EXPECT_FALSE(State("b").quarantined);
}

TEST_F(SnapshotQuarantine, ANodeInAListCountsAsListed) {
  snapshot_.UpsertNode(MakeNode("a"));
  snapshot_.QuarantineNode(OddNode("gone"));
  List(Kind::kNodes, [this] {
    snapshot_.QuarantineNode(OddNode("a"));
    snapshot_.QuarantineNode(OddNode("new"));
    snapshot_.QuarantineNode(OddNode(""));
  });
  EXPECT_EQ(NodeNames(snapshot_), (std::vector<std::string>{"a", "new"}));
  EXPECT_EQ(State("a").node.capacity.Get(kGpu), 8);
  EXPECT_EQ(Count(Kind::kNodes), 3U);
  List(Kind::kNodes, [this] { snapshot_.UpsertNode(MakeNode("a")); });
  EXPECT_EQ(Count(Kind::kNodes), 0U);
}

TEST_F(SnapshotQuarantine, APodHoldsWhatWasLastKnownOfIt) {
  snapshot_.UpsertNode(MakeNode("a"));
  model::Pod pod = MakePod("p", "a", 2);
  pod.affinity_terms = {{.namespaces = {"ml"}, .labels = {{"app", "In", {"web"}}}}};
  snapshot_.UpsertPod(pod);
  List(Kind::kPods, [&] { snapshot_.QuarantinePod(Odd(pod)); });
  EXPECT_EQ(UsedGpus(snapshot_, "a"), 2);
  EXPECT_EQ(Count(Kind::kPods), 1U);
  kube::UnreadableObject without_uid = Odd(pod);
  without_uid.uid = "";
  List(Kind::kPods, [&] { snapshot_.QuarantinePod(without_uid); });
  EXPECT_EQ(UsedGpus(snapshot_, "a"), 2);
  pod.affinity_terms.clear();
  pod.requests.Set(kGpu, 3);
  snapshot_.UpsertPod(pod);
  EXPECT_EQ(UsedGpus(snapshot_, "a"), 3);
  EXPECT_EQ(Count(Kind::kPods), 0U);
  snapshot_.QuarantinePod(Odd(pod));
  snapshot_.DeletePod(pod);
  EXPECT_EQ(UsedGpus(snapshot_, "a"), 0);
  EXPECT_EQ(Count(Kind::kPods), 0U);
}

TEST_F(SnapshotQuarantine, WhatAnEarlierPodOfItsNameHeldIsLetGo) {
  snapshot_.UpsertNode(MakeNode("a"));
  model::Pod pod = MakePod("p", "a", 2);
  snapshot_.UpsertPod(pod);
  pod.uid = "another";
  snapshot_.QuarantinePod(Odd(pod));
  EXPECT_EQ(UsedGpus(snapshot_, "a"), 0);
}

TEST_F(SnapshotQuarantine, WhileAPodIsInItAnyPodMayBeSelected) {
  model::Pod asking;
  asking.namespace_ = "other";
  EXPECT_FALSE(snapshot_.Read().AffinitySelects(asking));
  const model::Pod pod = MakePod("p", "a", 0);
  snapshot_.QuarantinePod(Odd(pod));
  EXPECT_TRUE(snapshot_.Read().AffinitySelects(asking));
  snapshot_.UpsertPod(pod);
  EXPECT_FALSE(snapshot_.Read().AffinitySelects(asking));
}

TEST_F(SnapshotQuarantine, ManyPodsThatCanAllBeReadAgainLeaveNothingBehind) {
  model::Pod asking;
  asking.namespace_ = "other";
  std::vector<model::Pod> pods;
  for (std::size_t i = 0; i < Quarantine::kMaxNames + 7; ++i) {
    pods.push_back(MakePod("p" + std::to_string(i), "a", 0));
    snapshot_.QuarantinePod(Odd(pods.back()));
  }
  for (const model::Pod& pod : pods) snapshot_.UpsertPod(pod);
  EXPECT_EQ(Count(Kind::kPods), 0U);
  EXPECT_FALSE(snapshot_.Read().AffinitySelects(asking));
}

TEST_F(SnapshotQuarantine, AServiceSelectsWhatWasLastKnownOfItOrAnything) {
  const auto selects = [this](const std::string& name_space, const std::string& app) {
    model::Pod pod;
    pod.namespace_ = name_space;
    pod.labels = {{"app", app}};
    return snapshot_.Read().ServiceSelects(pod).value();
  };
  const model::Service web{"ml", "web", {{"app", "web"}}};
  List(Kind::kServices, [&] { snapshot_.UpsertService(web); });
  snapshot_.QuarantineService(OddService("ml", "web"));
  EXPECT_TRUE(selects("ml", "web"));
  EXPECT_FALSE(selects("ml", "batch"));
  List(Kind::kServices, [&] {
    snapshot_.QuarantineService(OddService("ml", "web"));
    snapshot_.QuarantineService(OddService("new", "any"));
  });
  EXPECT_FALSE(selects("ml", "batch"));
  EXPECT_TRUE(selects("new", "batch"));
  EXPECT_FALSE(selects("other", "batch"));
  List(Kind::kServices, [&] { snapshot_.QuarantineService(OddService("", "")); });
  EXPECT_TRUE(selects("other", "batch"));
  List(Kind::kServices, [&] { snapshot_.UpsertService(web); });
  EXPECT_FALSE(selects("other", "batch"));
  EXPECT_FALSE(selects("new", "batch"));
  EXPECT_EQ(Count(Kind::kServices), 0U);
}

}  // namespace
}  // namespace berth::cluster
