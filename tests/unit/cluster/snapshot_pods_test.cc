#include <limits>

#include "gtest/gtest.h"
#include "tests/unit/cluster/cluster_fixtures.h"

namespace berth::cluster {
namespace {

class SnapshotPods : public ::testing::Test {
 protected:
  SnapshotPods() {
    snapshot_.UpsertNode(MakeNode("a"));
    snapshot_.UpsertNode(MakeNode("b"));
  }

  std::int64_t Used(const std::string& node) const { return UsedGpus(snapshot_, node); }
  std::uint64_t Generation() const { return snapshot_.Read().Generation(); }

  Snapshot snapshot_{TestOptions()};
};

TEST_F(SnapshotPods, AddUpWhatTheyUse) {
  snapshot_.UpsertPod(MakePod("p", "a", 2));
  snapshot_.UpsertPod(MakePod("q", "a", 3));
  snapshot_.UpsertPod(MakePod("r", "b", 8));
  EXPECT_EQ(Used("a"), 5);
  EXPECT_EQ(Used("b"), 8);
}

TEST_F(SnapshotPods, CountTheCataloguesResourcesOnly) {
  model::Pod pod = MakePod("p", "a", 1);
  pod.requests.Set("cpu", 4000);
  pod.requests.Set(kMnCore, 2);
  snapshot_.UpsertPod(pod);
  const Snapshot::Reader reader = snapshot_.Read();
  const model::Resources& used = reader.At(*reader.Find("a"))->used;
  EXPECT_EQ(used.Get(kGpu), 1);
  EXPECT_EQ(used.Get(kMnCore), 2);
  EXPECT_FALSE(used.Has("cpu"));
}

TEST_F(SnapshotPods, AreKnownToHaveBeenBound) {
  const auto was_bound = [this](const model::Pod& pod) {
    return snapshot_.Read().WasSeenBound(PodLedger::KeyOf(pod), pod.uid);
  };
  const model::Pod pod = MakePod("p", "a", 1);
  EXPECT_FALSE(was_bound(pod));
  snapshot_.UpsertPod(MakePod("p", "", 1));
  EXPECT_FALSE(was_bound(pod));
  snapshot_.UpsertPod(pod);
  EXPECT_TRUE(was_bound(pod));
  model::Pod twin = pod;
  twin.uid = "another";
  EXPECT_FALSE(was_bound(twin)) << "of the same name";
  twin = pod;
  twin.namespace_ = "another";
  EXPECT_FALSE(was_bound(twin));
  snapshot_.DeletePod(pod);
  EXPECT_TRUE(was_bound(pod));
}

TEST_F(SnapshotPods, OfThoseThatLeftTheLastAreKnown) {
  const auto was_bound = [this](int number) {
    const model::Pod pod = MakePod("p" + std::to_string(number), "a", 1);
    return snapshot_.Read().WasSeenBound(PodLedger::KeyOf(pod), pod.uid);
  };
  constexpr int kMost = PodLedger::kMaxLeft;
  for (int number = 0; number <= kMost; ++number) {
    const model::Pod pod = MakePod("p" + std::to_string(number), "a", 1);
    snapshot_.UpsertPod(pod);
    snapshot_.DeletePod(pod);
  }
  EXPECT_FALSE(was_bound(0));
  EXPECT_TRUE(was_bound(1));
  EXPECT_TRUE(was_bound(kMost));
}

// Their nodes do not exist, so their places are given away again: in an order that does not hang on
// the addresses of this process, or nothing could be replayed.
TEST_F(SnapshotPods, ThatAreGoneFromAListLeaveByTheirNames) {
  constexpr int kPods = 64;
  const model::NodeIndex before = snapshot_.Read().EndIndex();
  for (int i = 0; i < kPods; ++i) {
    const std::string name = "p" + std::to_string(100 + i);
    snapshot_.UpsertPod(MakePod(name, "gone-" + name, 1));
  }
  snapshot_.BeginReplace(Kind::kPods);
  snapshot_.EndReplace(Kind::kPods);
  for (int i = 0; i < kPods; ++i) {
    const std::string name = "n" + std::to_string(i);
    snapshot_.UpsertNode(MakeNode(name));
    // The place that was let go last is taken first.
    ASSERT_EQ(snapshot_.Read().Find(name), before + static_cast<model::NodeIndex>(kPods - 1 - i));
  }
}

TEST_F(SnapshotPods, RaiseTheVersionOfTheirNodeOnly) {
  const auto version = [this](const char* node) {
    const Snapshot::Reader reader = snapshot_.Read();
    return reader.At(*reader.Find(node))->version;
  };
  const std::uint64_t a = version("a");
  const std::uint64_t b = version("b");
  snapshot_.UpsertPod(MakePod("p", "a", 1));
  EXPECT_GT(version("a"), a);
  EXPECT_EQ(version("b"), b);
}

TEST_F(SnapshotPods, ThatUseNothingChangeNothing) {
  model::Pod terminated = MakePod("done", "a", 4);
  terminated.terminated = true;
  model::Pod negative = MakePod("negative", "a", -4);
  const std::uint64_t generation = Generation();
  for (const model::Pod& pod :
       {MakePod("cpu", "a", 0), MakePod("pending", "", 4), terminated, negative}) {
    snapshot_.UpsertPod(pod);
    EXPECT_EQ(Used("a"), 0) << pod.name;
    snapshot_.DeletePod(pod);
    EXPECT_EQ(Used("a"), 0) << pod.name;
  }
  EXPECT_EQ(Generation(), generation);
}

TEST_F(SnapshotPods, ARepeatedPodIsNoChange) {
  snapshot_.UpsertPod(MakePod("p", "a", 2));
  const std::uint64_t generation = Generation();
  snapshot_.UpsertPod(MakePod("p", "a", 2));
  EXPECT_EQ(Used("a"), 2);
  EXPECT_EQ(Generation(), generation);
}

TEST_F(SnapshotPods, GiveBackWhenDeletedOrTerminated) {
  model::Pod p = MakePod("p", "a", 2);
  model::Pod q = MakePod("q", "a", 3);
  snapshot_.UpsertPod(p);
  snapshot_.UpsertPod(q);
  p.terminated = true;
  snapshot_.UpsertPod(p);
  EXPECT_EQ(Used("a"), 3);
  snapshot_.DeletePod(p);  // terminated before: nothing more to give
  EXPECT_EQ(Used("a"), 3);
  snapshot_.DeletePod(q);
  const Snapshot::Reader reader = snapshot_.Read();
  EXPECT_TRUE(reader.At(*reader.Find("a"))->used.empty());
}

// A DELETED event may carry the object without what it once asked for.
TEST_F(SnapshotPods, GiveBackWhatTheyTookAndNotWhatTheLastWordSays) {
  snapshot_.UpsertPod(MakePod("p", "a", 2));
  model::Pod last = MakePod("p", "b", 5);
  snapshot_.DeletePod(last);
  EXPECT_EQ(Used("a"), 0);
  EXPECT_EQ(Used("b"), 0);
}

TEST_F(SnapshotPods, RecreatedUnderTheSameNameReplaceTheFirst) {
  model::Pod first = MakePod("p", "a", 2);
  model::Pod second = MakePod("p", "b", 3);
  second.uid = "another";
  snapshot_.UpsertPod(first);
  snapshot_.UpsertPod(second);
  EXPECT_EQ(Used("a"), 0);
  EXPECT_EQ(Used("b"), 3);
  snapshot_.DeletePod(first);  // late
  EXPECT_EQ(Used("b"), 3);
  snapshot_.DeletePod(second);
  EXPECT_EQ(Used("b"), 0);
}

TEST_F(SnapshotPods, OfOneNameInTwoNamespacesAreTwo) {
  model::Pod other = MakePod("p", "a", 1);
  other.namespace_ = "other";
  snapshot_.UpsertPod(MakePod("p", "a", 2));
  snapshot_.UpsertPod(other);
  EXPECT_EQ(Used("a"), 3);
}

TEST_F(SnapshotPods, CountOnANodeThatComesLater) {
  snapshot_.UpsertPod(MakePod("p", "late", 2));
  EXPECT_FALSE(snapshot_.Read().Find("late").has_value());
  EXPECT_EQ(NodeNames(snapshot_), (std::vector<std::string>{"a", "b"}));
  snapshot_.UpsertNode(MakeNode("late"));
  EXPECT_EQ(Used("late"), 2);
}

TEST_F(SnapshotPods, StillCountOnANodeThatComesBack) {
  snapshot_.UpsertPod(MakePod("p", "a", 2));
  snapshot_.UpsertPod(MakePod("q", "a", 4));
  snapshot_.DeleteNode("a");
  snapshot_.DeletePod(MakePod("q", "a", 4));
  snapshot_.UpsertNode(MakeNode("other"));  // must not be given the place of "a"
  snapshot_.UpsertNode(MakeNode("a"));
  EXPECT_EQ(Used("a"), 2);
  EXPECT_EQ(Used("other"), 0);
}

TEST_F(SnapshotPods, LeaveTheirPlaceToAnotherNodeWithTheLastOfThem) {
  snapshot_.UpsertPod(MakePod("p", "ghost", 2));
  snapshot_.DeletePod(MakePod("p", "ghost", 2));
  snapshot_.UpsertNode(MakeNode("c"));
  EXPECT_EQ(Used("c"), 0);
  EXPECT_EQ(snapshot_.Read().EndIndex(), 3u);
}

// The API accepts any amount on a pod that names its node itself.
TEST_F(SnapshotPods, AbsurdAmountsAreGivenBackExactly) {
  const std::int64_t absurd = std::numeric_limits<std::int64_t>::max();
  snapshot_.UpsertPod(MakePod("p", "a", 2));
  snapshot_.UpsertPod(MakePod("q", "a", absurd));
  snapshot_.UpsertPod(MakePod("r", "a", absurd));
  EXPECT_GE(Used("a"), PodLedger::kMaxAmount);
  snapshot_.DeletePod(MakePod("q", "a", absurd));
  snapshot_.DeletePod(MakePod("r", "a", absurd));
  EXPECT_EQ(Used("a"), 2);
}

TEST_F(SnapshotPods, AListRemovesThoseItDoesNotName) {
  for (const char* name : {"p", "q", "r"}) snapshot_.UpsertPod(MakePod(name, "a", 1));
  snapshot_.BeginReplace(Kind::kPods);
  snapshot_.UpsertPod(MakePod("q", "b", 1));
  snapshot_.UpsertPod(MakePod("r", "a", 1));
  snapshot_.UpsertPod(MakePod("s", "b", 4));
  EXPECT_EQ(Used("a"), 2);
  snapshot_.EndReplace(Kind::kPods);
  EXPECT_EQ(Used("a"), 1);
  EXPECT_EQ(Used("b"), 5);
}

TEST_F(SnapshotPods, AListOfNodesLeavesPodsAlone) {
  snapshot_.UpsertPod(MakePod("p", "a", 1));
  snapshot_.BeginReplace(Kind::kNodes);
  snapshot_.UpsertNode(MakeNode("a"));
  snapshot_.EndReplace(Kind::kNodes);
  EXPECT_EQ(Used("a"), 1);
}

}  // namespace
}  // namespace berth::cluster
