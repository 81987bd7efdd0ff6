#include "cluster/nominated_pods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "cluster/pod_ledger.h"
#include "tests/unit/cluster/cluster_fixtures.h"

namespace berth::cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

model::Pod Nominated(const std::string& name, const std::string& node, std::int64_t gpus = 1) {
  model::Pod pod = MakePod(name, "", gpus);
  pod.nominated_node = node;
  return pod;
}

/// "ml/a on n1".
std::vector<std::string> Listed(const NominatedPods& pods) {
  std::vector<std::string> listed;
  pods.ForEach([&](const NominatedPod& each) {
    listed.push_back(each.key + " on " + each.pod.nominated_node);
  });
  return listed;
}

class NominatedPodsTest : public testing::Test {
 protected:
  NominatedPods pods_{TestCatalog()};
};

TEST_F(NominatedPodsTest, AreThereUntilTheyAreGone) {
  EXPECT_TRUE(pods_.empty());
  pods_.OnUpsert(Nominated("b", "n2"));
  pods_.OnUpsert(Nominated("a", "n1"));
  EXPECT_THAT(Listed(pods_), ElementsAre("ml/a on n1", "ml/b on n2"));
  EXPECT_FALSE(pods_.empty());
  pods_.OnDelete(Nominated("a", "n1"));
  EXPECT_THAT(Listed(pods_), ElementsAre("ml/b on n2"));
}

TEST_F(NominatedPodsTest, MoveWithTheirNomination) {
  pods_.OnUpsert(Nominated("a", "n1"));
  pods_.OnUpsert(Nominated("a", "n2"));
  EXPECT_THAT(Listed(pods_), ElementsAre("ml/a on n2"));
}

TEST_F(NominatedPodsTest, AreThoseThatWait) {
  model::Pod bound = Nominated("bound", "n1");
  bound.node_name = "n1";
  model::Pod ended = Nominated("ended", "n1");
  ended.terminated = true;
  for (const model::Pod& pod : {bound, ended, Nominated("withdrawn", "")}) {
    pods_.OnUpsert(pod);
    EXPECT_THAT(Listed(pods_), IsEmpty());
    model::Pod before = Nominated(pod.name, "n1");
    pods_.OnUpsert(before);
    pods_.OnUpsert(pod);
    EXPECT_THAT(Listed(pods_), IsEmpty()) << pod.name;
  }
}

TEST_F(NominatedPodsTest, AreNotEndedByAnEarlierPodOfThatName) {
  pods_.OnUpsert(Nominated("a", "n1"));
  model::Pod earlier = Nominated("a", "n1");
  earlier.uid = "earlier";
  pods_.OnDelete(earlier);
  EXPECT_THAT(Listed(pods_), ElementsAre("ml/a on n1"));
}

TEST_F(NominatedPodsTest, KeepWhatKubeSchedulerCounts) {
  model::Pod pod = Nominated("a", "n1", 2);
  pod.requests.Set("cpu", 1500);
  pod.priority = 7;
  pod.host_ports = {{.port = 80}};
  pod.annotations = {{"large", "text"}};
  pods_.OnUpsert(pod);
  pods_.ForEach([&](const NominatedPod& each) {
    EXPECT_EQ(each.pod.uid, "a-uid");
    EXPECT_EQ(each.pod.priority, 7);
    EXPECT_EQ(each.pod.requests, pod.requests);
    EXPECT_EQ(each.pod.host_ports, pod.host_ports);
    EXPECT_THAT(each.pod.annotations, IsEmpty());
    EXPECT_EQ(each.devices.Get(kGpu), 2);
    EXPECT_FALSE(each.devices.Has("cpu"));
  });
}

TEST_F(NominatedPodsTest, KeepABoundedNumberOfRequests) {
  model::Pod pod = Nominated("a", "n1", 2);
  for (int i = 0; i < 20'000; ++i) {
    pod.requests.Set("example.com/" + std::to_string(100'000 + i), i % 2);
  }
  pods_.OnUpsert(pod);
  pods_.ForEach([&](const NominatedPod& each) {
    EXPECT_EQ(each.pod.requests.Get(kGpu), 2);
    EXPECT_EQ(each.pod.requests.end() - each.pod.requests.begin(),
              static_cast<std::ptrdiff_t>(1 + PodLedger::kMostOthers));
  });
}

TEST_F(NominatedPodsTest, AreForgottenWhenAListEndsWithoutThem) {
  pods_.OnUpsert(Nominated("gone", "n1"));
  pods_.OnUpsert(Nominated("listed", "n1"));
  pods_.OnUpsert(Nominated("unreadable", "n1"));
  pods_.OnReplaceBegin();
  pods_.OnUpsert(Nominated("listed", "n1"));
  pods_.OnUnreadable({.kind = "Pod", .namespace_ = "ml", .name = "unreadable"});
  pods_.OnUnreadable({.kind = "Pod", .namespace_ = "ml", .name = "unknown"});
  EXPECT_THAT(Listed(pods_), testing::SizeIs(3)) << "the list may break off";
  pods_.OnReplaceEnd("100");
  EXPECT_THAT(Listed(pods_), ElementsAre("ml/listed on n1", "ml/unreadable on n1"));
}

TEST_F(NominatedPodsTest, AreForgottenWhenAnUnreadablePodHasTheirName) {
  pods_.OnUpsert(Nominated("train", "n1"));
  const std::string uid = Nominated("train", "n1").uid;
  pods_.OnUnreadable({.kind = "Pod", .namespace_ = "ml", .name = "train", .uid = uid, .error = ""});
  EXPECT_THAT(Listed(pods_), ElementsAre("ml/train on n1"));
  pods_.OnUnreadable(
      {.kind = "Pod", .namespace_ = "ml", .name = "train", .uid = uid + "-2", .error = ""});
  EXPECT_THAT(Listed(pods_), testing::IsEmpty());
}

}  // namespace
}  // namespace berth::cluster
