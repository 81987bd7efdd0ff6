#include "cluster/service_index.h"

#include <algorithm>
#include <string>

#include "gtest/gtest.h"
#include "tests/unit/cluster/cluster_fixtures.h"

namespace berth::cluster {
namespace {

const model::Service kWebService{"ml", "web", {{"app", "web"}, {"tier", "1"}}};

model::Pod Labelled(std::string namespace_name, model::StringMap labels) {
  model::Pod pod;
  pod.namespace_ = std::move(namespace_name);
  pod.labels = std::move(labels);
  return pod;
}

const model::Pod kPod = Labelled("ml", {{"app", "web"}, {"tier", "1"}, {"x", "y"}});

TEST(ServiceIndexTest, SelectsPodsOfItsNamespaceThatHaveAllLabels) {
  ServiceIndex index;
  EXPECT_FALSE(index.Selects(kPod));
  index.Upsert(kWebService);
  EXPECT_TRUE(index.Selects(kPod));
  EXPECT_FALSE(index.Selects(Labelled("ml", {{"app", "web"}})));
  EXPECT_FALSE(index.Selects(Labelled("other", kPod.labels)));
}

TEST(ServiceIndexTest, WithoutASelectorItSelectsNothing) {
  ServiceIndex index;
  index.Upsert({"ml", "external", {}});
  EXPECT_FALSE(index.Selects(kPod));
  EXPECT_EQ(index.size(), 0U);
  index.Upsert(kWebService);
  index.Upsert({"ml", "web", {}});
  EXPECT_FALSE(index.Selects(kPod)) << "its selector was taken out";
}

TEST(ServiceIndexTest, ADeletedOneSelectsNoMore) {
  ServiceIndex index;
  index.Upsert(kWebService);
  index.Upsert({"ml", "second", {{"x", "y"}}});
  index.Remove(kWebService);
  EXPECT_TRUE(index.Selects(kPod));
  index.Remove({"ml", "second", {}});
  EXPECT_FALSE(index.Selects(kPod));
  index.Remove(kWebService);
  index.Remove({"nowhere", "web", {}});
  EXPECT_EQ(index.size(), 0U);
}

TEST(ServiceIndexTest, WhatAListDoesNotHaveIsGone) {
  ServiceIndex index;
  index.Upsert(kWebService);
  index.Upsert({"other", "web", {{"app", "web"}}});
  index.BeginReplace();
  index.Upsert({"other", "web", {{"app", "web"}}});
  EXPECT_TRUE(index.Selects(kPod));
  index.EndReplace();
  EXPECT_FALSE(index.Selects(kPod));
  EXPECT_TRUE(index.Selects(Labelled("other", {{"app", "web"}})));
  EXPECT_EQ(index.size(), 1U);
}

TEST(SnapshotServices, AreUnknownUntilTheyWereListed) {
  Snapshot snapshot(TestOptions());
  snapshot.UpsertService(kWebService);
  EXPECT_EQ(snapshot.Read().ServiceSelects(kPod), std::nullopt);
  snapshot.BeginReplace(Kind::kServices);
  snapshot.UpsertService(kWebService);
  EXPECT_EQ(snapshot.Read().ServiceSelects(kPod), std::nullopt);
  snapshot.EndReplace(Kind::kServices);
  EXPECT_EQ(snapshot.Read().ServiceSelects(kPod), true);
  EXPECT_FALSE(snapshot.Synced()) << "nodes and pods were not";
  snapshot.DeleteService(kWebService);
  EXPECT_EQ(snapshot.Read().ServiceSelects(kPod), false);
}

TEST(SnapshotServices, AreNotWaitedFor) {
  Snapshot snapshot(TestOptions());
  for (const Kind kind : {Kind::kNodes, Kind::kPods}) {
    snapshot.BeginReplace(kind);
    snapshot.EndReplace(kind);
  }
  EXPECT_TRUE(snapshot.Synced());
}

TEST(SnapshotAffinity, FollowsBoundPods) {
  Snapshot snapshot(TestOptions());
  model::Pod drawing = MakePod("p", "a", 0);
  drawing.affinity_terms = {{.namespaces = {"ml"}, .labels = {{"app", "In", {"web"}}}}};
  EXPECT_FALSE(snapshot.Read().AffinitySelects(kPod));
  snapshot.UpsertPod(drawing);
  EXPECT_TRUE(snapshot.Read().AffinitySelects(kPod));
  snapshot.DeletePod(drawing);
  EXPECT_FALSE(snapshot.Read().AffinitySelects(kPod));
  snapshot.UpsertPod(drawing);
  snapshot.BeginReplace(Kind::kPods);
  snapshot.EndReplace(Kind::kPods);
  EXPECT_FALSE(snapshot.Read().AffinitySelects(kPod));
}

TEST(ServiceIndexTest, OfTooManyLabelsItKeepsTheFirst) {
  model::StringMap labels;
  for (int i = 100; i < 1'100; ++i) labels.emplace_back("l" + std::to_string(i), "");
  std::ranges::sort(labels);
  ServiceIndex index;
  index.Upsert({"ml", "greedy", labels});
  EXPECT_TRUE(index.Selects(Labelled("ml", labels)));
  labels.resize(ServiceIndex::kMaxLabels);
  EXPECT_TRUE(index.Selects(Labelled("ml", labels))) << "one too many rather than one too few";
  labels.pop_back();
  EXPECT_FALSE(index.Selects(Labelled("ml", labels)));
}

}  // namespace
}  // namespace berth::cluster
