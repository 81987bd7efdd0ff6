// Options::whole_pods: what all bound pods take, as kube-scheduler counts it.

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/cluster/cluster_fixtures.h"

namespace berth::cluster {
namespace {

class SnapshotWholePods : public ::testing::Test {
 protected:
  SnapshotWholePods() {
    for (const char* name : {"a", "b"}) snapshot_.UpsertNode(MakeNode(name));
  }

  // A web server: 500m, 1 GiB and a port of the node.
  static model::Pod Web(const std::string& name, const std::string& node) {
    model::Pod pod = MakePod(name, node, 0);
    pod.requests.Set("cpu", 500);
    pod.requests.Set("memory", kGiB);
    pod.host_ports = {{.port = 80}};
    return pod;
  }

  static model::Pod WithPriority(model::Pod pod, std::int32_t priority) {
    pod.priority = priority;
    return pod;
  }

  // What each pod takes that is bound to the node.
  std::vector<model::Demand> Bound(const std::string& node) const {
    const Snapshot::Reader reader = snapshot_.Read();
    std::vector<model::Demand> bound;
    for (const model::Demand* demand : reader.At(reader.Find(node).value())->bound) {
      bound.push_back(*demand);
    }
    return bound;
  }
  std::vector<std::int32_t> Priorities(const std::string& node) const {
    std::vector<std::int32_t> priorities;
    for (const model::Demand& demand : Bound(node)) priorities.push_back(demand.priority);
    return priorities;
  }

  model::NodeState State(const std::string& node) const { return StateOf(snapshot_, node); }

  void ExpectWebServers(const std::string& node, int number) const {
    const model::NodeState state = State(node);
    EXPECT_EQ(state.used.Get("cpu"), 500 * number) << node;
    EXPECT_EQ(state.used.Get("memory"), kGiB * number) << node;
    EXPECT_EQ(state.used.empty(), number == 0) << node;
    EXPECT_EQ(state.pods, number) << node;
    EXPECT_EQ(state.ports,
              std::vector<model::HostPort>(static_cast<std::size_t>(number), {.port = 80}));
  }

  bool WasBound(const model::Pod& pod) const {
    return snapshot_.Read().WasSeenBound(PodLedger::KeyOf(pod), pod.uid);
  }

  static constexpr std::int64_t kGiB = std::int64_t{1} << 30;

  Snapshot snapshot_{WholePods()};
};

TEST_F(SnapshotWholePods, CountWithAllTheyAskFor) {
  model::Pod pod = Web("p", "a");
  pod.requests.Set(kGpu, 2);
  pod.requests.Set("hugepages-1Gi", kGiB);
  snapshot_.UpsertPod(pod);
  EXPECT_EQ(State("a").used, pod.requests);
  EXPECT_EQ(State("a").pods, 1);
  EXPECT_EQ(State("a").ports, pod.host_ports);
  snapshot_.UpsertPod(Web("q", "a"));
  EXPECT_EQ(State("a").used.Get("cpu"), 1'000);
  EXPECT_EQ(State("a").pods, 2);
}

TEST_F(SnapshotWholePods, ThatAreResizedCountAsTheyAreNow) {
  snapshot_.UpsertPod(Web("p", "a"));
  snapshot_.UpsertPod(Web("q", "a"));
  model::Pod resized = Web("p", "a");
  resized.requests.Set("cpu", 2'000);
  resized.requests.Set("memory", kGiB / 2);
  snapshot_.UpsertPod(resized);
  EXPECT_EQ(State("a").used.Get("cpu"), 2'500);
  EXPECT_EQ(State("a").used.Get("memory"), kGiB + kGiB / 2);
  EXPECT_EQ(State("a").pods, 2);
  EXPECT_EQ(Bound("a").size(), 2U);
  snapshot_.DeletePod(resized);
  EXPECT_EQ(State("a").used, Web("q", "a").requests);
}

TEST_F(SnapshotWholePods, AreKnownOneByOneWithTheirPriorities) {
  snapshot_.UpsertPod(WithPriority(Web("p", "a"), 7));
  snapshot_.UpsertPod(WithPriority(Web("q", "a"), -3));
  snapshot_.UpsertPod(WithPriority(Web("r", "a"), 7));
  EXPECT_EQ(Priorities("a"), (std::vector<std::int32_t>{7, -3, 7}));
  EXPECT_EQ(Bound("a")[1].resources, Web("q", "a").requests);
  EXPECT_EQ(Bound("a")[1].ports, Web("q", "a").host_ports);
  snapshot_.DeletePod(Web("q", "a"));
  EXPECT_EQ(Priorities("a"), (std::vector<std::int32_t>{7, 7}));
  model::Pod moved = WithPriority(Web("p", "b"), 9);
  moved.uid = "another";
  snapshot_.UpsertPod(moved);
  EXPECT_EQ(Priorities("a"), (std::vector<std::int32_t>{7}));
  EXPECT_EQ(Priorities("b"), (std::vector<std::int32_t>{9}));
}

TEST_F(SnapshotWholePods, AreKnownOneByOneAfterTheirNodeCameLate) {
  snapshot_.UpsertPod(WithPriority(Web("p", "late"), 7));
  snapshot_.UpsertNode(MakeNode("late"));
  EXPECT_EQ(Priorities("late"), (std::vector<std::int32_t>{7}));
  snapshot_.DeleteNode("late");
  snapshot_.UpsertPod(WithPriority(Web("q", "late"), 8));
  snapshot_.UpsertNode(MakeNode("late"));
  EXPECT_EQ(Priorities("late"), (std::vector<std::int32_t>{7, 8}));
}

TEST_F(SnapshotWholePods, CountOnlyInAViewOfThem) {
  Snapshot snapshot(TestOptions());
  snapshot.UpsertNode(MakeNode("a"));
  model::Pod pod = Web("p", "a");
  pod.requests.Set(kGpu, 2);
  snapshot.UpsertPod(pod);
  snapshot.UpsertPod(Web("q", "a"));
  const model::NodeState state = StateOf(snapshot, "a");
  EXPECT_EQ(state.used.Get(kGpu), 2);
  EXPECT_FALSE(state.used.Has("cpu"));
  EXPECT_EQ(state.pods, 0);
  EXPECT_TRUE(state.ports.empty());
  EXPECT_TRUE(state.bound.empty());
}

TEST_F(SnapshotWholePods, CountAsPodsEvenIfTheyAskForNothing) {
  snapshot_.UpsertPod(MakePod("p", "a", 0));
  EXPECT_EQ(State("a").pods, 1);
  EXPECT_TRUE(State("a").used.empty());
  snapshot_.DeletePod(MakePod("p", "a", 0));
  EXPECT_EQ(State("a").pods, 0);
}

// Anybody who may create pods can name as many as they like, and bind them to a node.
TEST_F(SnapshotWholePods, CountWithABoundedNumberOfResources) {
  model::Pod odd = Web("odd", "a");
  odd.requests.Set(kGpu, 2);
  odd.requests.Set("ephemeral-storage", kGiB);
  for (int i = 0; i < 1'000; ++i) odd.requests.Set("aa.example/" + std::to_string(i), 1);
  snapshot_.UpsertPod(odd);
  const model::NodeState state = State("a");
  EXPECT_EQ(state.used.Get("cpu"), 500);
  EXPECT_EQ(state.used.Get("memory"), kGiB);
  EXPECT_EQ(state.used.Get("ephemeral-storage"), kGiB);
  EXPECT_EQ(state.used.Get(kGpu), 2);
  EXPECT_EQ(std::distance(state.used.begin(), state.used.end()),
            static_cast<std::ptrdiff_t>(4 + PodLedger::kMostOthers));
  snapshot_.DeletePod(odd);
  EXPECT_TRUE(State("a").used.empty());
}

TEST_F(SnapshotWholePods, DoNotCountUnboundOrTerminated) {
  model::Pod done = Web("done", "a");
  done.terminated = true;
  snapshot_.UpsertPod(done);
  snapshot_.UpsertPod(Web("waiting", ""));
  ExpectWebServers("a", 0);
}

TEST_F(SnapshotWholePods, LeaveWhenTheyAreDeletedOrEnd) {
  snapshot_.UpsertPod(Web("p", "a"));
  snapshot_.UpsertPod(Web("q", "a"));
  ExpectWebServers("a", 2);
  snapshot_.DeletePod(Web("p", "a"));
  ExpectWebServers("a", 1);
  model::Pod done = Web("q", "a");
  done.terminated = true;
  snapshot_.UpsertPod(done);
  ExpectWebServers("a", 0);
}

TEST_F(SnapshotWholePods, GiveBackWhatTheyTookAndNotWhatTheLastWordSays) {
  snapshot_.UpsertPod(Web("p", "a"));
  model::Pod last = MakePod("p", "b", 5);
  last.host_ports = {{.port = 443}};
  snapshot_.DeletePod(last);
  ExpectWebServers("a", 0);
  ExpectWebServers("b", 0);
}

TEST_F(SnapshotWholePods, OfANameThatIsUsedAgainReplaceTheFirst) {
  snapshot_.UpsertPod(Web("p", "a"));
  model::Pod second = Web("p", "b");
  second.uid = "another";
  snapshot_.UpsertPod(second);
  ExpectWebServers("a", 0);
  ExpectWebServers("b", 1);
  EXPECT_TRUE(WasBound(Web("p", "a")));
  EXPECT_TRUE(WasBound(second));
  snapshot_.DeletePod(Web("p", "a"));  // late
  ExpectWebServers("b", 1);
}

TEST_F(SnapshotWholePods, ArriveBeforeTheirNodeAndOutliveIt) {
  snapshot_.UpsertPod(Web("p", "late"));
  snapshot_.UpsertNode(MakeNode("late"));
  ExpectWebServers("late", 1);
  snapshot_.DeleteNode("late");
  snapshot_.UpsertPod(Web("q", "late"));
  snapshot_.UpsertNode(MakeNode("late"));
  ExpectWebServers("late", 2);
}

TEST_F(SnapshotWholePods, AreThoseThatAListNames) {
  for (const char* name : {"p", "q", "r"}) snapshot_.UpsertPod(Web(name, "a"));
  snapshot_.BeginReplace(Kind::kPods);
  snapshot_.UpsertPod(Web("q", "b"));
  snapshot_.QuarantinePod({.kind = "Pod", .namespace_ = "ml", .name = "r", .uid = "r-uid"});
  snapshot_.EndReplace(Kind::kPods);
  ExpectWebServers("a", 1);
  ExpectWebServers("b", 1);
}

TEST_F(SnapshotWholePods, LeaveWhenTheirNameIsInQuarantineForAnother) {
  snapshot_.UpsertPod(Web("p", "a"));
  snapshot_.QuarantinePod({.kind = "Pod", .namespace_ = "ml", .name = "p", .uid = "another"});
  ExpectWebServers("a", 0);
}

TEST_F(SnapshotWholePods, ThatAreRepeatedChangeNothing) {
  snapshot_.UpsertPod(Web("p", "a"));
  const std::uint64_t generation = snapshot_.Read().Generation();
  snapshot_.UpsertPod(Web("p", "a"));
  EXPECT_EQ(snapshot_.Read().Generation(), generation);
  ExpectWebServers("a", 1);
}

// A node of two TiB of memory has room for such a pod only once.
TEST_F(SnapshotWholePods, CountTebibytesInFull) {
  model::Pod pod = MakePod("p", "a", 0);
  pod.requests.Set("memory", 1'500 * kGiB);
  snapshot_.UpsertPod(pod);
  EXPECT_EQ(State("a").used.Get("memory"), 1'500 * kGiB);
}

TEST_F(SnapshotWholePods, GiveBackAbsurdAmountsExactly) {
  snapshot_.UpsertPod(Web("p", "a"));
  for (const char* name : {"q", "r"}) {
    model::Pod absurd = Web(name, "a");
    absurd.requests.Set("memory", std::numeric_limits<std::int64_t>::max());
    snapshot_.UpsertPod(absurd);
  }
  EXPECT_GE(State("a").used.Get("memory"), PodLedger::kMaxAmount);
  for (const char* name : {"q", "r"}) snapshot_.DeletePod(Web(name, "a"));
  ExpectWebServers("a", 1);
}

TEST_F(SnapshotWholePods, AreKnownToHaveBeenBound) {
  const model::Pod pod = Web("p", "a");
  snapshot_.UpsertPod(Web("p", ""));
  EXPECT_FALSE(WasBound(pod));
  snapshot_.UpsertPod(pod);
  EXPECT_TRUE(WasBound(pod));
  snapshot_.DeletePod(pod);
  EXPECT_TRUE(WasBound(pod));
}

// Pods without accelerators come and go more often.
TEST_F(SnapshotWholePods, WithoutAcceleratorsDoNotMakeOthersForgotten) {
  const model::Pod ours = MakePod("ours", "a", 1);
  snapshot_.UpsertPod(ours);
  snapshot_.DeletePod(ours);
  for (std::size_t number = 0; number <= PodLedger::kMaxLeft; ++number) {
    const model::Pod other = Web("p" + std::to_string(number), "a");
    snapshot_.UpsertPod(other);
    snapshot_.DeletePod(other);
  }
  EXPECT_TRUE(WasBound(ours));
  EXPECT_FALSE(WasBound(Web("p0", "a")));
  EXPECT_TRUE(WasBound(Web("p1", "a")));
}

TEST(SnapshotPassingPods, CountForNothing) {
  Snapshot snapshot({.catalog = TestCatalog(),
                     .labels = {},
                     .whole_pods = true,
                     .passing = [](const model::Pod& pod) { return pod.name == "passing"; }});
  snapshot.UpsertNode(MakeNode("a"));
  snapshot.UpsertPod(MakePod("passing", "a", 8));
  EXPECT_EQ(StateOf(snapshot, "a").pods, 0);
  snapshot.UpsertPod(MakePod("staying", "a", 4));
  EXPECT_EQ(StateOf(snapshot, "a").used.Get("nvidia.com/gpu"), 4);
  snapshot.DeletePod(MakePod("passing", "a", 8));
  EXPECT_EQ(StateOf(snapshot, "a").pods, 1);
}

}  // namespace
}  // namespace berth::cluster
