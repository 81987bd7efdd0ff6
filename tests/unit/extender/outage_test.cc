// Nodes that kube-scheduler may not know to be full, because the API server was away.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/extender/fixtures.h"

namespace berth::extender {
namespace {

using cluster::Kind;
using policies::scheduling::Catalog;
using policies::scheduling::GpuNode;
using policies::scheduling::kGpu;
using policies::scheduling::kNow;
using policies::scheduling::PodAskingFor;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A pod that asks for GPUs.
model::Pod Asking(const std::string& uid, std::int64_t devices) {
  model::Pod pod = PodAskingFor(kGpu, devices);
  pod.name = pod.uid = uid;
  return pod;
}

/// Two nodes of eight GPUs: "full", of which seven are used, and "free".
class AfterOutage : public testing::Test {
 protected:
  AfterOutage() {
    for (const char* name : {"full", "free"}) {
      model::Node node = GpuNode(name, "Tesla-V100-SXM2-32GB").node;
      node.allocatable.Set("pods", 110);
      snapshot_.UpsertNode(std::move(node));
    }
    Bind("bound", "full", 7);
  }

  void Bind(const std::string& uid, const std::string& node, std::int64_t devices) {
    model::Pod pod = Asking(uid, devices);
    pod.node_name = node;
    snapshot_.UpsertPod(pod);
  }

  FilterResult Filter(const model::Pod& pod,
                      std::vector<std::string_view> names = {"full", "free"}) {
    ExtenderArgs args{.pod = pod};
    args.node_names = std::move(names);
    return placer_.Filter(args, kNow);
  }

  std::vector<std::string_view> Fitting(const model::Pod& pod) { return Filter(pod).node_names; }

  cluster::Snapshot snapshot_{{.catalog = Catalog(), .labels = {}, .whole_pods = true}};
  server::Metrics metrics_;
  const std::shared_ptr<const policies::scheduling::SchedulingEngine> engine_ =
      std::make_shared<const policies::scheduling::SchedulingEngine>(
          Catalog(), "berth.dev", policies::scheduling::SchedulingConfig{});
  Placer placer_{engine_, snapshot_, metrics_};
};

TEST_F(AfterOutage, NodesThatAreFullAreRefused) {
  EXPECT_THAT(Fitting(Asking("before", 2)), ElementsAre("full", "free"))
      << "kube-scheduler knows better";
  for (const Kind kind : {Kind::kNodes, Kind::kPods}) {
    snapshot_.SetOutage(kind, false, true);
    EXPECT_THAT(Fitting(Asking("after", 2)), ElementsAre("free"));
    EXPECT_THAT(Fitting(Asking("small", 1)), ElementsAre("full", "free"));
    snapshot_.SetOutage(kind, false, false);
    EXPECT_THAT(Fitting(Asking("later", 2)), ElementsAre("full", "free"));
  }
}

TEST_F(AfterOutage, ANodeThatIsAskedAboutAloneIsRefused) {
  snapshot_.SetOutage(Kind::kPods, false, true);
  const FilterResult result = Filter(Asking("nominated", 2), {"full"});
  EXPECT_THAT(result.node_names, IsEmpty());
  EXPECT_THAT(result.failed, IsEmpty()) << "kube-scheduler would find nobody to evict";
  ASSERT_THAT(result.unresolvable, SizeIs(1));
  EXPECT_EQ(result.unresolvable[0].reason,
            "node(s) were full of pods that kube-scheduler may have lost in an outage");
}

TEST_F(AfterOutage, PodsThatAreOnTheirWayTakeRoom) {
  snapshot_.SetOutage(Kind::kPods, false, true);
  EXPECT_THAT(Filter(Asking("first", 1), {"full"}).node_names, ElementsAre("full"));
  EXPECT_THAT(Filter(Asking("second", 1), {"full"}).node_names, IsEmpty())
      << "kube-scheduler knows of the first pod, but perhaps not of all others";
  EXPECT_THAT(Filter(Asking("first", 1), {"full"}).node_names, ElementsAre("full"))
      << "it went nowhere, and comes back";
  snapshot_.SetOutage(Kind::kPods, false, false);
  EXPECT_THAT(Filter(Asking("second", 1), {"full"}).node_names, ElementsAre("full"));
}

TEST_F(AfterOutage, PodsThatMayHaveBeenBoundTakeRoomUntilThatIsKnown) {
  Filter(Asking("unheard of", 1), {"full"});
  snapshot_.SetOutage(Kind::kPods, true, false);
  EXPECT_THAT(Fitting(Asking("unheard of", 1)), ElementsAre("free"))
      << "kube-scheduler asks again, because nobody answered its binding";
  EXPECT_THAT(Fitting(Asking("another", 1)), ElementsAre("free"));
  snapshot_.SetOutage(Kind::kPods, false, true);
  EXPECT_THAT(Fitting(Asking("another", 1)), ElementsAre("full", "free")) << "it was not bound";
}

TEST_F(AfterOutage, WhatWasKnownBeforeItRefusesNothingMeanwhile) {
  snapshot_.SetOutage(Kind::kPods, true, false);
  EXPECT_THAT(Fitting(Asking("another", 2)), ElementsAre("full", "free"))
      << "only Berth may be cut off, and pods may have left";
}

TEST_F(AfterOutage, APodThatIsSeenAsBoundIsNotCountedTwice) {
  Filter(Asking("unheard of", 4), {"free"});
  snapshot_.SetOutage(Kind::kPods, true, false);
  EXPECT_THAT(Fitting(Asking("another", 4)), ElementsAre("full", "free"));
  Bind("unheard of", "free", 4);
  EXPECT_THAT(Fitting(Asking("another", 4)), ElementsAre("full", "free"));
}

TEST_F(AfterOutage, WhatIsAnsweredMeanwhileIsNotDoubtful) {
  snapshot_.SetOutage(Kind::kPods, true, false);
  Filter(Asking("refused", 1), {"full"});
  EXPECT_THAT(Fitting(Asking("another", 1)), ElementsAre("full", "free"))
      << "kube-scheduler knows whether that was bound";
}

TEST_F(AfterOutage, PodsThatComeBackGetOneNodeAllTheSame) {
  Placer short_placer(engine_, snapshot_, metrics_, {}, {.size = 1, .default_spreading = false});
  const auto fitting = [&](const std::string& uid) {
    ExtenderArgs args{.pod = Asking(uid, 1)};
    args.node_names = {"full", "free"};
    return short_placer.Filter(args, kNow).node_names.size();
  };
  EXPECT_EQ(fitting("pod"), 1U);
  for (const bool is_behind : {true, false}) {
    snapshot_.SetOutage(Kind::kPods, is_behind, !is_behind);
    EXPECT_EQ(fitting("pod"), 1U) << "its binding failed, whatever the node";
  }
  snapshot_.SetOutage(Kind::kPods, false, false);
  EXPECT_EQ(fitting("pod"), 2U);
}

}  // namespace
}  // namespace berth::extender
