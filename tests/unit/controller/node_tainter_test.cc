#include "controller/node_tainter.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/controller/fixtures.h"
#include "tests/unit/controller/limited_time.h"

namespace berth::controller {
namespace {

using policies::scheduling::GpuNode;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

using policies::scheduling::kV100;

std::string TaintedName(int index) { return "v100-" + std::to_string(index); }

/// A kube-apiserver whose nodes have no taint but, perhaps, Berth's. It keeps the patches that it
/// has answered with `status`, as "<node> +" or "<node> -".
class Taints final : public kube::Transport {
 public:
  absl::Status Send(const kube::HttpRequest& request, kube::HttpSink& sink) override {
    const bool reads = request.method == kube::HttpMethod::kGet;
    const std::string node = request.target.substr(request.target.find("v100"));
    if (!reads) Patch(node, request.body);
    absl::Status result =
        sink.OnHead({.status = reads ? 200 : status, .content_type = "application/json"});
    if (result.ok()) result = sink.OnBody(reads ? List(node) : "{}");
    return result;
  }
  void Stop() override {}

  int status = 200;
  std::vector<std::string> patches;
  std::set<std::string> tainted;

 private:
  std::string List(const std::string& node) const {
    const std::string own =
        R"({"effect":"NoSchedule","key":"berth.dev/excluded","value":"GPUIsLost"})";
    return R"({"items":[{"metadata":{"uid":"u-)" + node + R"("},"spec":{"taints":[)" +
           (tainted.contains(node) ? own : "") + "]}}]}";
  }

  void Patch(const std::string& node, const std::string& body) {
    const bool adds = body.find("GPUIsLost") != std::string::npos;
    patches.push_back(node + (adds ? " +" : " -"));
    if (status != 200) return;
    if (adds) {
      tainted.insert(node);
    } else {
      tainted.erase(node);
    }
  }
};

class NodeTainterTest : public ::testing::Test {
 protected:
  NodeTainterTest() {
    for (int i = 0; i < 4; ++i) Put(i, false);
  }

  /// The node as the watch tells of it.
  void Put(int index, bool broken) {
    model::NodeState state = GpuNode(TaintedName(index), kV100);
    if (broken) state = Broken(state);
    state.node.uid = "u-" + TaintedName(index);
    if (api_.tainted.contains(TaintedName(index))) {
      state.node.taints = {{kTaint, "GPUIsLost", "NoSchedule"}};
    }
    snapshot_->UpsertNode(state.node);
  }

  NodeTainter Make(bool enabled) {
    return NodeTainter({.rules = {.key = kTaint, .enabled = enabled, .health = {}},
                        .may_write = [this] { return leads_; },
                        .now = [] { return policies::scheduling::kNow; }},
                       snapshot_.get(), &writer_, &time_, &record_);
  }
  void RunFor(NodeTainter& tainter, milliseconds duration) {
    time_.end = time_.now + duration;
    tainter.Run();
  }
  void RunFor(milliseconds duration, bool enabled = true) {
    NodeTainter tainter = Make(enabled);
    RunFor(tainter, duration);
  }

  std::unique_ptr<cluster::Snapshot> snapshot_ = MakeSnapshot();
  Taints api_;
  TaintWriter writer_{&api_, kTaint};
  LimitedTime time_;
  const kube::Timer::Clock::time_point start_ = time_.now;
  WriteRecord record_;
  bool leads_ = true;
};

TEST_F(NodeTainterTest, TaintsABrokenNodeAndTakesTheTaintAwayWhenItIsWell) {
  Put(1, true);
  RunFor(milliseconds(500));
  EXPECT_THAT(api_.tainted, ElementsAre("v100-1"));
  EXPECT_THAT(record_.written, ElementsAre("taint v100-1 berth.dev/excluded=GPUIsLost:NoSchedule"));
  Put(1, false);
  RunFor(milliseconds(500));
  EXPECT_THAT(api_.tainted, IsEmpty());
  EXPECT_EQ(record_.written.back(), "taint v100-1 berth.dev/excluded:NoSchedule-");
}

TEST_F(NodeTainterTest, FollowsANodeThatFlapsHoweverOften) {
  NodeTainter tainter = Make(true);
  for (int round = 0; round < 12; ++round) {
    Put(1, true);
    RunFor(tainter, seconds(3));
    ASSERT_THAT(api_.tainted, ElementsAre("v100-1")) << round;
    Put(1, false);
    RunFor(tainter, seconds(3));
    ASSERT_THAT(api_.tainted, IsEmpty()) << round;
  }
}

// Two that undo each other's writes must not do so for ever.
TEST_F(NodeTainterTest, WritesMoreAndMoreSeldomWhatSomebodyElseUndoes) {
  NodeTainter tainter = Make(true);
  Put(1, true);
  time_.on_wait = [this] {
    api_.tainted.clear();
    Put(1, true);
  };
  RunFor(tainter, seconds(100));
  EXPECT_THAT(api_.patches, SizeIs(testing::AllOf(testing::Gt(3), testing::Lt(8))));
}

TEST_F(NodeTainterTest, SwitchedOffItTakesAwayWhatIsLeft) {
  api_.tainted = {"v100-0", "v100-2"};
  Put(0, true);
  Put(2, false);
  RunFor(milliseconds(500), false);
  EXPECT_THAT(api_.tainted, IsEmpty());
  EXPECT_THAT(api_.patches, ElementsAre("v100-0 -", "v100-2 -"));
}

TEST_F(NodeTainterTest, WritesTwentyASecondAtMost) {
  for (int i = 0; i < 200; ++i) Put(i, i < 80);
  RunFor(seconds(1));
  EXPECT_THAT(api_.patches, SizeIs(20));
}

// The watch tells of the taint only after a while.
TEST_F(NodeTainterTest, GivesAWriteTimeToBeSeen) {
  Put(1, true);
  time_.on_wait = [this] {
    if (time_.now >= start_ + milliseconds(1900)) Put(1, true);  // with its taint
  };
  RunFor(seconds(60));
  EXPECT_THAT(record_.written, SizeIs(1));
}

// As long as the watch is silent, it knows of what it wrote.
TEST_F(NodeTainterTest, TaintsNoMoreThanTheShareWhileItHearsNothing) {
  for (int i = 1; i < 4; ++i) Put(i, true);
  time_.on_wait = [this] { Put(0, true); };
  RunFor(milliseconds(1900));
  EXPECT_THAT(api_.tainted, ElementsAre("v100-0", "v100-1"));
}

TEST_F(NodeTainterTest, AFailureHoldsUpNoOtherNodeAndIsTriedAgain) {
  api_.status = 403;
  Put(1, true);
  Put(2, true);
  RunFor(seconds(31));  // at 0, 2, 6, 14 and 30 s
  EXPECT_THAT(record_.statuses, SizeIs(10));
  EXPECT_TRUE(absl::IsPermissionDenied(record_.statuses[0]));
  EXPECT_EQ(api_.patches[1], "v100-2 +");
}

TEST_F(NodeTainterTest, ATrippedBreakerStopsItAmongTheNodes) {
  for (int i = 0; i < 12; ++i) Put(i, i < 6);
  time_.on_wait = [this] {
    if (api_.patches.size() == 2) Put(11, true);
  };
  RunFor(milliseconds(500));
  EXPECT_THAT(api_.patches, ElementsAre("v100-0 +", "v100-1 +"));
}

TEST_F(NodeTainterTest, WritesNothingWithoutTheRightTo) {
  Put(1, true);
  leads_ = false;
  RunFor(seconds(10));
  EXPECT_THAT(api_.patches, IsEmpty());
}

TEST_F(NodeTainterTest, WaitsUntilTheClusterIsKnown) {
  snapshot_ = MakeUnsyncedSnapshot();
  for (int i = 0; i < 4; ++i) Put(i, i == 0);
  RunFor(seconds(10));
  EXPECT_THAT(api_.patches, IsEmpty());
}

}  // namespace
}  // namespace berth::controller
