#include "extender/victim_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/extender/fixtures.h"

namespace berth::extender {
namespace {

using policies::scheduling::Catalog;
using policies::scheduling::GpuNode;
using policies::scheduling::kGpu;
using policies::scheduling::kNow;
using policies::scheduling::PodAskingFor;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// kNow is 2027-01-15T08:00:00Z.
constexpr char kFreshTime[] = "2027-01-15T07:50:00Z";
constexpr char kOldTime[] = "2027-01-15T07:40:00Z";

class VictimChoiceTest : public testing::Test {
 protected:
  VictimChoiceTest() {
    for (const char* name : {"a", "b", "c"}) {
      snapshot_.UpsertNode(GpuNode(name, "Tesla-V100-SXM2-32GB").node);
    }
  }

  /// Binds a pod that says this of its checkpoint; "": nothing.
  void Bind(const std::string& node, const std::string& uid, const std::string& checkpoint = "",
            std::int32_t priority = 0) {
    model::Pod pod = PodAskingFor(kGpu, 1);
    pod.name = pod.uid = uid;
    pod.node_name = node;
    pod.priority = priority;
    if (!checkpoint.empty()) pod.annotations = {{"berth.dev/checkpointed-at", checkpoint}};
    snapshot_.UpsertPod(pod);
  }

  std::vector<std::string> Choose(std::vector<NodeVictims> candidates) {
    std::vector<std::string> names;
    const auto reader = snapshot_.Read();
    for (const NodeVictims& node : choice_.Choose(std::move(candidates), reader, kNow)) {
      names.emplace_back(node.name);
    }
    return names;
  }

  cluster::Snapshot snapshot_{{.catalog = Catalog(), .whole_pods = true, .checkpoint_times = true}};
  server::Metrics metrics_;
  VictimChoice choice_{metrics_};
};

TEST_F(VictimChoiceTest, PodsWithAFreshCheckpointGoFirst) {
  Bind("a", "a1");
  Bind("b", "b1", kFreshTime);
  Bind("c", "c1", kOldTime);
  EXPECT_THAT(Choose({{"a", {"a1"}}, {"b", {"b1"}}, {"c", {"c1"}}}), ElementsAre("b"));
  const std::string text = metrics_.Exposition();
  EXPECT_THAT(text, HasSubstr(R"(berth_preemption_victims_total{checkpoint="fresh"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(berth_preemption_victims_total{checkpoint="old"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(berth_preemption_victims_total{checkpoint="none"} 1)"));
  EXPECT_THAT(text, HasSubstr("berth_preemption_nodes_spared_total 2"));
}

TEST_F(VictimChoiceTest, WithoutFreshCheckpointsNothingChanges) {
  Bind("a", "a1");
  Bind("c", "c1", kOldTime);
  EXPECT_THAT(Choose({{"a", {"a1"}}, {"c", {"c1"}}}), ElementsAre("a", "c"));
}

TEST_F(VictimChoiceTest, EveryVictimOfANodeNeedsOne) {
  Bind("a", "a1");
  Bind("a", "a2");
  Bind("b", "b1", kFreshTime);
  Bind("b", "b2");
  EXPECT_THAT(Choose({{"a", {"a1", "a2"}}, {"b", {"b1", "b2"}}}), ElementsAre("a", "b"));
}

TEST_F(VictimChoiceTest, TimesThatCannotBeReadOrAreInTheFutureCountAsAbsent) {
  Bind("b", "b1", kFreshTime);
  for (const char* text : {"yesterday", "2027-01-15T08:01:01Z", "1800000000", " "}) {
    Bind("a", "a1", text);
    EXPECT_THAT(Choose({{"a", {"a1"}}, {"b", {"b1"}}}), ElementsAre("b")) << text;
  }
  Bind("a", "a1", "2027-01-15T08:01:00Z");  // clocks differ
  EXPECT_THAT(Choose({{"a", {"a1"}}, {"b", {"b1"}}}), ElementsAre("a", "b"));
  EXPECT_THAT(metrics_.Exposition(),
              HasSubstr(R"(berth_preemption_victims_total{checkpoint="unreadable"} 3)"));
}

// What kube-scheduler compares first stays as it is.
TEST_F(VictimChoiceTest, NoHigherPriorityNoMoreViolationsAndNoMorePodsAreEvictedForIt) {
  Bind("a", "a1", "", 0);
  Bind("b", "b1", kFreshTime, 5);
  EXPECT_THAT(Choose({{"a", {"a1"}}, {"b", {"b1"}}}), ElementsAre("a", "b"));
  Bind("b", "b1", kFreshTime, 0);
  Bind("b", "b2", kFreshTime, 0);
  EXPECT_THAT(Choose({{"a", {"a1"}}, {"b", {"b1", "b2"}}}), ElementsAre("a", "b"));
  EXPECT_THAT(Choose({{"a", {"a1"}, 0}, {"b", {"b1"}, 1}}), ElementsAre("a", "b"));
  EXPECT_THAT(Choose({{"a", {"a1"}, 1}, {"b", {"b1"}, 1}}), ElementsAre("b"));
}

// It may be the pod of the lowest priority that goes.
TEST_F(VictimChoiceTest, PrioritiesThatAreNotKnownAreTakenForTheLowestOfTheNode) {
  Bind("a", "a1", "", 9);
  Bind("a", "a2", "", 1);
  Bind("b", "b1", kFreshTime, 5);
  EXPECT_THAT(Choose({{"a", {"a1"}}, {"b", {"b1"}}}), ElementsAre("a", "b"));
  EXPECT_THAT(Choose({{"a", {"a1", "a2"}}, {"b", {"b1"}}}), ElementsAre("b"));
}

// kube-scheduler may offer every node of a large cluster.
TEST_F(VictimChoiceTest, EachOfManyCandidatesIsComparedWithAllThatAreFresh) {
  static constexpr std::int64_t kNever = 1'000'000;
  struct Offer {
    const char* node;
    std::vector<std::string_view> uids;
    // It is offered with no fewer violations than this, and left out from so many on.
    std::int64_t least = 0;
    std::int64_t spared_from = kNever;
  };
  Bind("a", "a1", "", 0);
  Bind("b", "b1", kFreshTime, 2);
  Bind("b", "b2", kFreshTime, 4);
  Bind("c", "c1", kOldTime, 3);
  Bind("c", "c2", kOldTime, 7);
  const std::vector<Offer> offers = {
      {"b", {"b1"}, 6},    {"b", {"b2"}, 3},    {"b", {"b1", "b2"}, 1},    {"a", {"a1"}},
      {"c", {"c1"}, 0, 6}, {"c", {"c2"}, 0, 3}, {"c", {"c1", "c2"}, 0, 1}, {"elsewhere", {"x"}}};
  constexpr std::size_t kCandidates = 65'000;
  constexpr std::size_t kMostViolations = 9;
  std::vector<NodeVictims> candidates;
  std::vector<NodeVictims> want;
  for (std::size_t i = 0; i < kCandidates; ++i) {
    const Offer& offer = offers[i % offers.size()];
    const auto drawn = static_cast<std::int64_t>(i / offers.size() % (kMostViolations + 1));
    candidates.push_back({offer.node, offer.uids, std::max(offer.least, drawn)});
    if (candidates.back().pdb_violations < offer.spared_from) want.push_back(candidates.back());
  }
  const auto reader = snapshot_.Read();
  EXPECT_TRUE(choice_.Choose(candidates, reader, kNow) == want);
}

TEST_F(VictimChoiceTest, NodesWhosePodsAreNotKnownAreKept) {
  Bind("b", "b1", kFreshTime);
  EXPECT_THAT(Choose({{"elsewhere", {"x"}}, {"a", {"a1"}}, {"b", {"b1"}}}),
              ElementsAre("elsewhere", "a", "b"));
}

TEST_F(VictimChoiceTest, WhatKubeSchedulerGaveIsPassedBackUnchanged) {
  Bind("a", "a1");
  Bind("b", "b1", kFreshTime);
  const NodeVictims fresh{"b", {"b1"}, 0};
  const auto reader = snapshot_.Read();
  EXPECT_THAT(choice_.Choose({{"a", {"a1"}, 0}, fresh}, reader, kNow), ElementsAre(fresh));
}

}  // namespace
}  // namespace berth::extender
