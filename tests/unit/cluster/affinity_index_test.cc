#include "cluster/affinity_index.h"

#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "tests/unit/cluster/cluster_fixtures.h"

namespace berth::cluster {
namespace {

model::PodSelector Selector(std::vector<std::string> namespaces,
                            std::vector<model::LabelRequirement> labels) {
  return {.namespaces = std::move(namespaces), .labels = std::move(labels)};
}

/// Selects pods of namespace "ml" with label app=web.
model::PodSelector WebOfMl() { return Selector({"ml"}, {{"app", "In", {"web"}}}); }

model::Pod Drawing(const std::string& name, std::vector<model::PodSelector> affinity_terms) {
  model::Pod pod = MakePod(name, "a", 0);
  pod.affinity_terms = std::move(affinity_terms);
  return pod;
}

model::Pod Waiting(std::string namespace_name, model::StringMap labels) {
  model::Pod pod;
  pod.namespace_ = std::move(namespace_name);
  pod.labels = std::move(labels);
  return pod;
}

const model::Pod kWeb = Waiting("ml", {{"app", "web"}});

TEST(AffinityIndexTest, SelectsByNamespaceAndLabels) {
  AffinityIndex index;
  EXPECT_FALSE(index.Selects(kWeb));
  index.Upsert(Drawing("p", {WebOfMl()}));
  EXPECT_TRUE(index.Selects(kWeb));
  EXPECT_FALSE(index.Selects(Waiting("other", {{"app", "web"}})));
  EXPECT_FALSE(index.Selects(Waiting("ml", {{"app", "db"}})));
  EXPECT_FALSE(index.Selects(Waiting("ml", {})));
}

TEST(AffinityIndexTest, SeveralNamespacesAndAny) {
  AffinityIndex index;
  index.Upsert(Drawing("p", {Selector({"x", "y"}, {})}));
  EXPECT_TRUE(index.Selects(Waiting("x", {})));
  EXPECT_TRUE(index.Selects(Waiting("y", {{"app", "web"}})));
  EXPECT_FALSE(index.Selects(kWeb));
  index.Upsert(Drawing("q", {Selector({}, {{"app", "Exists", {}}})}));
  EXPECT_TRUE(index.Selects(kWeb));
  EXPECT_TRUE(index.Selects(Waiting("z", {{"app", ""}})));
  EXPECT_FALSE(index.Selects(Waiting("z", {})));
}

TEST(AffinityIndexTest, ThePodsThatCountAreBoundAndRun) {
  AffinityIndex index;
  model::Pod pending = Drawing("p", {WebOfMl()});
  pending.node_name.clear();
  index.Upsert(pending);
  EXPECT_FALSE(index.Selects(kWeb));
  index.Upsert(Drawing("p", {WebOfMl()}));
  EXPECT_TRUE(index.Selects(kWeb));
  model::Pod done = Drawing("p", {WebOfMl()});
  done.terminated = true;
  index.Upsert(done);
  EXPECT_FALSE(index.Selects(kWeb));
  EXPECT_EQ(index.size(), 0U);
}

TEST(AffinityIndexTest, OrdinaryPodsCostNothing) {
  AffinityIndex index;
  for (int i = 0; i < 100; ++i) index.Upsert(MakePod("p" + std::to_string(i), "a", 1));
  EXPECT_EQ(index.size(), 0U);
}

TEST(AffinityIndexTest, ADeletedPodSelectsNoMoreUnlessOthersDo) {
  AffinityIndex index;
  const model::Pod p = Drawing("p", {WebOfMl()});
  const model::Pod q = Drawing("q", {WebOfMl(), Selector({"x"}, {})});
  index.Upsert(p);
  index.Upsert(q);
  index.Remove(p);
  EXPECT_TRUE(index.Selects(kWeb));
  index.Remove(q);
  EXPECT_FALSE(index.Selects(kWeb));
  EXPECT_FALSE(index.Selects(Waiting("x", {})));
}

TEST(AffinityIndexTest, AnUpdateReplacesWhatWasKnown) {
  AffinityIndex index;
  index.Upsert(Drawing("p", {WebOfMl(), WebOfMl()}));
  index.Upsert(Drawing("p", {Selector({"x"}, {})}));
  EXPECT_FALSE(index.Selects(kWeb));
  EXPECT_TRUE(index.Selects(Waiting("x", {})));
  index.Upsert(MakePod("p", "a", 0));
  EXPECT_FALSE(index.Selects(Waiting("x", {})));
}

TEST(AffinityIndexTest, ALateDeletionOfAnEarlierPodOfThatNameIsIgnored) {
  AffinityIndex index;
  const model::Pod earlier = Drawing("p", {WebOfMl()});
  model::Pod later = earlier;
  later.uid = "later";
  index.Upsert(earlier);
  index.Upsert(later);
  index.Remove(earlier);
  EXPECT_TRUE(index.Selects(kWeb));
  index.Remove(later);
  EXPECT_FALSE(index.Selects(kWeb));
}

TEST(AffinityIndexTest, WhatAListDoesNotHaveIsGone) {
  AffinityIndex index;
  index.Upsert(Drawing("stays", {Selector({"x"}, {})}));
  index.Upsert(Drawing("goes", {WebOfMl()}));
  index.BeginReplace();
  index.Upsert(Drawing("stays", {Selector({"x"}, {})}));
  EXPECT_TRUE(index.Selects(kWeb));
  index.EndReplace();
  EXPECT_FALSE(index.Selects(kWeb));
  EXPECT_TRUE(index.Selects(Waiting("x", {})));
  EXPECT_EQ(index.size(), 1U);
}

/// `count` terms of namespace "ml" that select no pod of these tests.
std::vector<model::PodSelector> ManyTerms(std::size_t count) {
  std::vector<model::PodSelector> terms;
  for (std::size_t i = 0; i < count; ++i) {
    terms.push_back(Selector({"ml"}, {{"app", "In", {"none" + std::to_string(i)}}}));
  }
  return terms;
}

TEST(AffinityIndexTest, TermsBeyondTheBoundSelectAllPodsOfTheirNamespaces) {
  AffinityIndex index;
  index.Upsert(Drawing("modest", ManyTerms(10)));
  EXPECT_FALSE(index.Selects(kWeb));
  index.Upsert(Drawing("greedy", ManyTerms(10'000)));
  EXPECT_TRUE(index.Selects(kWeb));
  EXPECT_FALSE(index.Selects(Waiting("other", {{"app", "web"}})));
  EXPECT_LT(index.bytes(), 10'000U);
  index.Remove(Drawing("greedy", {}));
  EXPECT_FALSE(index.Selects(kWeb));
  index.Remove(Drawing("modest", {}));
  EXPECT_EQ(index.bytes(), 0U);
}

TEST(AffinityIndexTest, OfManyNamespacesTheySelectThePodsOfAll) {
  std::vector<std::string> namespaces;
  for (int i = 0; i < 1'000; ++i) namespaces.push_back("team-" + std::to_string(i));
  AffinityIndex index;
  index.Upsert(Drawing("p", {Selector(std::move(namespaces), {{"app", "In", {"none"}}})}));
  EXPECT_TRUE(index.Selects(kWeb));
  EXPECT_LT(index.bytes(), 1'000U);
}

TEST(AffinityIndexTest, AllPodsTogetherHaveABoundToo) {
  AffinityIndex index;
  for (int i = 0; i < 5'000; ++i) {
    auto terms = ManyTerms(40);
    terms.front().labels.front().values = {"own" + std::to_string(i)};
    index.Upsert(Drawing("p" + std::to_string(i), std::move(terms)));
  }
  EXPECT_LE(index.bytes(), AffinityIndex::kMaxBytes);
  EXPECT_TRUE(index.Selects(kWeb)) << "those that came last are kept in short";
  EXPECT_EQ(index.size(), 5'000U);
  EXPECT_FALSE(index.Selects(Waiting("other", {{"app", "web"}}))) << "they keep their namespaces";
}

// Widened terms of distinct namespaces are as many.
TEST(AffinityIndexTest, TheBoundHoldsForWidenedTerms) {
  const auto pod = [](int number) {
    std::vector<std::string> namespaces;
    for (std::size_t i = 0; i < AffinityIndex::kMaxNamespaces; ++i) {
      namespaces.push_back(std::string(50, 'n') + std::to_string(number) + '-' + std::to_string(i));
    }
    return Drawing("p" + std::to_string(number), {Selector(std::move(namespaces), {})});
  };
  constexpr int kPods = 20'000;
  AffinityIndex index;
  for (int i = 0; i < kPods; ++i) index.Upsert(pod(i));
  EXPECT_LE(index.bytes(), AffinityIndex::kMaxBytes + 1'000);
  EXPECT_TRUE(index.Selects(kWeb)) << "those that came last select the pods of all namespaces";
  for (int i = 0; i < kPods; ++i) index.Remove(pod(i));
  EXPECT_EQ(index.bytes(), 0U);
  EXPECT_FALSE(index.Selects(kWeb));
}

}  // namespace
}  // namespace berth::cluster
