#include "cluster/gang_pods.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/cluster/cluster_fixtures.h"

namespace berth::cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

class GangPodsTest : public ::testing::Test {
 protected:
  GangPodsTest() : snapshot_(Options()) {}

  static Snapshot::Options Options() {
    Snapshot::Options options = TestOptions();
    options.gang_prefix = "berth.dev";
    return options;
  }
  static model::Pod PodOfGang(const std::string& name, const std::string& node) {
    model::Pod pod = MakePod(name, node, 1);
    pod.annotations = {{"berth.dev/gang-name", "train"}, {"berth.dev/gang-size", "2"}};
    return pod;
  }
  std::vector<std::string> Nodes() {
    const model::Pod pod = PodOfGang("any", "any");
    return snapshot_.Read().Gangs().NodesOf(pod.namespace_ + "/train");
  }

  Snapshot snapshot_;
};

TEST_F(GangPodsTest, ThePodsThatRunAreKnown) {
  snapshot_.UpsertPod(PodOfGang("b", "node-1"));
  snapshot_.UpsertPod(PodOfGang("a", "node-2"));
  snapshot_.UpsertPod(MakePod("single", "node-3", 1));
  EXPECT_THAT(Nodes(), ElementsAre("node-2", "node-1"));
  snapshot_.DeletePod(PodOfGang("a", "node-2"));
  EXPECT_THAT(Nodes(), ElementsAre("node-1"));
}

TEST_F(GangPodsTest, WhenTheyWereBoundIsKnownIfAllSaySo) {
  const auto times = [this] { return snapshot_.Read().Gangs().BoundTimes("ml/train"); };
  model::Pod early = PodOfGang("a", "node-1");
  model::Pod late = PodOfGang("b", "node-2");
  early.namespace_ = late.namespace_ = "ml";
  EXPECT_THAT(times(), IsEmpty());
  early.bound = model::Time(std::chrono::seconds(100));
  late.bound = model::Time(std::chrono::seconds(200));
  snapshot_.UpsertPod(late);
  EXPECT_THAT(times(), ElementsAre(late.bound));
  snapshot_.UpsertPod(early);
  EXPECT_THAT(times(), ElementsAre(early.bound, late.bound));
  early.bound = model::kNoTime;
  snapshot_.UpsertPod(early);
  EXPECT_THAT(times(), IsEmpty());
}

TEST_F(GangPodsTest, PodsThatHaveEndedOrAreBeingDeletedDoNotCount) {
  model::Pod ended = PodOfGang("a", "node-1");
  model::Pod deleted = PodOfGang("b", "node-2");
  model::Pod waiting = PodOfGang("c", "");
  snapshot_.UpsertPod(ended);
  snapshot_.UpsertPod(deleted);
  ended.terminated = true;
  deleted.deleted = model::Time{std::chrono::seconds(1)};
  for (const model::Pod& pod : {ended, deleted, waiting}) snapshot_.UpsertPod(pod);
  EXPECT_THAT(Nodes(), IsEmpty());
}

TEST_F(GangPodsTest, AnEvictionThatHasBegunIsKnownUntilThePodIsGoneThatSaysSo) {
  model::Pod pod = PodOfGang("b", "node-1");
  const std::string gang = pod.namespace_ + "/train";
  snapshot_.UpsertPod(PodOfGang("a", "node-2"));
  snapshot_.UpsertPod(pod);
  EXPECT_THAT(snapshot_.Read().Gangs().Evictions(), IsEmpty());
  pod.annotations.emplace_back("berth.dev/gang-eviction", "1970-01-01T00:01:00Z pods=2");
  model::Normalize(pod.annotations);
  snapshot_.UpsertPod(pod);
  EXPECT_THAT(
      snapshot_.Read().Gangs().Evictions(),
      ElementsAre(Pair(
          gang, model::GangEviction{.began = model::Time{std::chrono::seconds(60)}, .pods = 2})));
  pod.deleted = model::Time{std::chrono::seconds(90)};
  snapshot_.UpsertPod(pod);
  EXPECT_THAT(snapshot_.Read().Gangs().Evictions(), IsEmpty());
}

TEST_F(GangPodsTest, OfTwoEvictionsThatHaveBegunTheLatestIsKnown) {
  for (const char* name : {"a", "b", "c"}) {
    model::Pod pod = PodOfGang(name, "node-1");
    const std::string minute = *name == 'b' ? "2" : "1";
    pod.annotations.emplace_back("berth.dev/gang-eviction",
                                 "1970-01-01T00:0" + minute + ":00Z pods=2");
    model::Normalize(pod.annotations);
    snapshot_.UpsertPod(pod);
  }
  const auto evictions = snapshot_.Read().Gangs().Evictions();
  ASSERT_EQ(evictions.size(), 1);
  EXPECT_EQ(evictions.begin()->second.began, model::Time{std::chrono::minutes(2)});
}

TEST_F(GangPodsTest, APodThatIsNoLongerListedIsForgotten) {
  snapshot_.UpsertPod(PodOfGang("a", "node-1"));
  snapshot_.UpsertPod(PodOfGang("b", "node-2"));
  snapshot_.BeginReplace(Kind::kPods);
  snapshot_.UpsertPod(PodOfGang("b", "node-2"));
  snapshot_.EndReplace(Kind::kPods);
  EXPECT_THAT(Nodes(), ElementsAre("node-2"));
}

TEST_F(GangPodsTest, APodThatCannotBeReadRunsOn) {
  model::Pod pod = PodOfGang("a", "node-1");
  snapshot_.UpsertPod(pod);
  snapshot_.BeginReplace(Kind::kPods);
  snapshot_.QuarantinePod({.namespace_ = pod.namespace_, .name = pod.name, .uid = pod.uid});
  snapshot_.EndReplace(Kind::kPods);
  EXPECT_THAT(Nodes(), ElementsAre("node-1"));
  snapshot_.QuarantinePod({.namespace_ = pod.namespace_, .name = pod.name, .uid = "another"});
  EXPECT_THAT(Nodes(), IsEmpty());
}

TEST_F(GangPodsTest, WithoutAPrefixNothingIsKept) {
  Snapshot snapshot(TestOptions());
  const model::Pod pod = PodOfGang("a", "node-1");
  snapshot.UpsertPod(pod);
  EXPECT_THAT(snapshot.Read().Gangs().NodesOf(pod.namespace_ + "/train"), IsEmpty());
}

}  // namespace
}  // namespace berth::cluster
