// Options::creator_annotation: who created the pods that hold devices.

#include <map>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/cluster/cluster_fixtures.h"

namespace berth::cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

constexpr char kCreatedBy[] = "berth.dev/created-by";
constexpr model::Time kCreated{model::Duration(1'780'315'200)};

Snapshot::Options WithCreators(bool whole_pods) {
  Snapshot::Options options = TestOptions();
  options.whole_pods = whole_pods;
  options.creator_annotation = kCreatedBy;
  return options;
}

model::Pod MadeBy(const std::string& creator, const std::string& name, std::int64_t gpus) {
  model::Pod pod = MakePod(name, "a", gpus);
  pod.annotations = {{kCreatedBy, creator}};
  pod.requests.Set("cpu", 1000);
  pod.created = kCreated;
  return pod;
}

// The creators of all pods that the snapshot tells of, by pod.
std::map<std::string, std::string> Creators(const Snapshot& snapshot) {
  const Snapshot::Reader reader = snapshot.Read();
  std::map<std::string, std::string> creators;
  reader.BoundPods().ForEach([&creators](const PodLedger::BoundPod& pod) {
    creators[std::string(pod.key)] = std::string(pod.creator);
  });
  return creators;
}

class SnapshotCreators : public ::testing::TestWithParam<bool> {};

INSTANTIATE_TEST_SUITE_P(WholePodsOrNot, SnapshotCreators, ::testing::Bool());

TEST_P(SnapshotCreators, AreKnownOfPodsThatHoldDevices) {
  Snapshot snapshot(WithCreators(GetParam()));
  snapshot.UpsertNode(MakeNode("a"));
  snapshot.UpsertPod(MadeBy("alice", "train", 4));
  model::Pod unknown = MakePod("old", "a", 1);
  snapshot.UpsertPod(unknown);
  EXPECT_THAT(Creators(snapshot), ElementsAre(Pair("ml/old", ""), Pair("ml/train", "alice")));
  const Snapshot::Reader reader = snapshot.Read();
  reader.BoundPods().ForEach([&reader](const PodLedger::BoundPod& pod) {
    EXPECT_EQ(pod.node, reader.Find("a"));
    EXPECT_EQ(pod.created, pod.key == "ml/train" ? kCreated : model::kNoTime);
    EXPECT_EQ(pod.demand.resources.Get(kGpu), pod.key == "ml/train" ? 4 : 1);
  });
}

TEST_P(SnapshotCreators, FollowThePod) {
  Snapshot snapshot(WithCreators(GetParam()));
  snapshot.UpsertPod(MadeBy("alice", "train", 4));
  model::Pod next = MadeBy("bob", "train", 4);
  next.uid = "another";
  snapshot.UpsertPod(next);
  EXPECT_THAT(Creators(snapshot), ElementsAre(Pair("ml/train", "bob")));
  next.terminated = true;
  snapshot.UpsertPod(next);
  EXPECT_TRUE(Creators(snapshot).empty());
}

TEST(SnapshotCreatorsOfWholePods, AreNotKeptOfPodsWithoutDevices) {
  Snapshot snapshot(WithCreators(true));
  snapshot.UpsertPod(MadeBy("alice", "web", 0));
  EXPECT_THAT(Creators(snapshot), ElementsAre(Pair("ml/web", "")));
}

TEST(SnapshotWithoutCreators, KnowsNone) {
  Snapshot snapshot(TestOptions());
  snapshot.UpsertPod(MadeBy("alice", "train", 4));
  EXPECT_THAT(Creators(snapshot), ElementsAre(Pair("ml/train", "")));
}

}  // namespace
}  // namespace berth::cluster
