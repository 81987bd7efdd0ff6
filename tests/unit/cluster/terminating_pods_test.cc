#include "cluster/terminating_pods.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/cluster/cluster_fixtures.h"

namespace berth::cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr model::Time kGoneBy{std::chrono::seconds(1'800'000'000)};

/// A pod of Job "train" on node "a".
model::Pod Deleted(const std::string& name) {
  model::Pod pod = MakePod(name, "a", 1);
  pod.deleted = kGoneBy;
  pod.job = "train";
  return pod;
}

class TerminatingPodsTest : public ::testing::Test {
 protected:
  TerminatingPodsTest() {
    for (const Kind kind : {Kind::kNodes, Kind::kPods}) {
      snapshot_.BeginReplace(kind);
      snapshot_.EndReplace(kind);
    }
  }

  std::vector<std::string> Names() {
    std::vector<std::string> names;
    snapshot_.Read().Terminating().ForEach(
        [&names](const TerminatingPods::Record& pod) { names.push_back(pod.name); });
    return names;
  }

  Snapshot snapshot_{TestOptions()};
};

TEST_F(TerminatingPodsTest, KeepsWhatItTakesToFindThePodItsNodeAndItsJob) {
  snapshot_.UpsertPod(Deleted("train-0"));
  snapshot_.Read().Terminating().ForEach([](const TerminatingPods::Record& pod) {
    EXPECT_EQ(pod.namespace_name, "ml");
    EXPECT_EQ(pod.name, "train-0");
    EXPECT_EQ(pod.uid, "train-0-uid");
    EXPECT_EQ(pod.node, "a");
    EXPECT_EQ(pod.job, "train");
    EXPECT_EQ(pod.deleted, kGoneBy);
  });
  EXPECT_THAT(Names(), ElementsAre("train-0"));
}

TEST_F(TerminatingPodsTest, CountsDeletedPodsOfJobsThatHaveANodeAndRun) {
  model::Pod running = MakePod("running", "a", 1);
  model::Pod of_nobody = Deleted("of-nobody");
  of_nobody.job.clear();
  model::Pod waiting = Deleted("waiting");
  waiting.node_name.clear();
  model::Pod ended = Deleted("ended");
  ended.terminated = true;
  for (const model::Pod& pod : {running, of_nobody, waiting, ended}) snapshot_.UpsertPod(pod);
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(TerminatingPodsTest, APodLeavesWhenItHasEndedOrIsGone) {
  snapshot_.UpsertPod(Deleted("ends"));
  snapshot_.UpsertPod(Deleted("goes"));
  model::Pod ended = Deleted("ends");
  ended.terminated = true;
  snapshot_.UpsertPod(ended);
  model::Pod earlier = Deleted("goes");
  earlier.uid = "of an earlier pod";
  snapshot_.DeletePod(earlier);
  EXPECT_THAT(Names(), ElementsAre("goes"));
  snapshot_.DeletePod(Deleted("goes"));
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(TerminatingPodsTest, ANewListRemovesWhatIsNotInIt) {
  for (const char* name : {"listed", "missing", "unreadable"}) snapshot_.UpsertPod(Deleted(name));
  snapshot_.BeginReplace(Kind::kPods);
  snapshot_.UpsertPod(Deleted("listed"));
  snapshot_.QuarantinePod({.kind = "Pod", .namespace_ = "ml", .name = "unreadable"});
  EXPECT_THAT(Names(), ElementsAre("listed", "missing", "unreadable"));
  snapshot_.EndReplace(Kind::kPods);
  EXPECT_THAT(Names(), ElementsAre("listed", "unreadable"));
}

TEST_F(TerminatingPodsTest, AnUnreadablePodOfTheNameReplacesTheFormerOne) {
  snapshot_.UpsertPod(Deleted("train-0"));
  snapshot_.QuarantinePod({.kind = "Pod", .namespace_ = "ml", .name = "train-0", .uid = "another"});
  EXPECT_THAT(Names(), IsEmpty());
}

}  // namespace
}  // namespace berth::cluster
