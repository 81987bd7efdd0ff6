#include "controller/repair_labeler.h"

#include <memory>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/controller/fixtures.h"
#include "tests/unit/controller/limited_time.h"
#include "tests/unit/kube/scripted_transport.h"

namespace berth::controller {
namespace {

using policies::scheduling::GpuNode;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

using policies::scheduling::kV100;

std::string LabeledName(int index) { return "v100-" + std::to_string(index); }

class RepairLabelerTest : public ::testing::Test {
 protected:
  RepairLabelerTest() {
    for (int i = 0; i < 12; ++i) Put(i, false, false);
  }

  /// The node as the watch tells of it.
  void Put(int index, bool broken, bool allowed) {
    model::NodeState state = GpuNode(LabeledName(index), kV100);
    if (broken) state = Broken(state);
    state.node.uid = "u-" + LabeledName(index);
    if (allowed) state.node.labels.emplace_back(kRepairLabel, "allowed");
    model::Normalize(state.node.labels);
    snapshot_->UpsertNode(state.node);
  }

  void Reply(int status, int times = 1) {
    for (int i = 0; i < times; ++i) transport_.replies.push_back({.status = status, .body = "{}"});
  }

  /// Lets it run for so long.
  void RunFor(milliseconds duration) {
    time_.end = time_.now + duration;
    labeler_.Run();
  }

  /// Lets it run for so long while node 1 is broken or not, and the watch tells of each write.
  void RunWatched(bool broken, milliseconds duration) {
    const auto watch = [this, broken] {
      const bool allowed = !transport_.requests.empty() &&
                           transport_.requests.back().body.find("allowed") != std::string::npos;
      Put(1, broken, allowed);
    };
    watch();
    time_.on_wait = watch;
    RunFor(duration);
  }

  std::unique_ptr<cluster::Snapshot> snapshot_ = MakeSnapshot();
  kube::ScriptedTransport transport_;
  Patcher patcher_{&transport_};
  LimitedTime time_;
  WriteRecord record_;
  bool leads_ = true;
  RepairLabeler labeler_{
      {.rules = {.label = kRepairLabel, .enabled = true, .max_share = 0.25, .health = {}},
       .may_write = [this] { return leads_; },
       .now = [] { return policies::scheduling::kNow; }},
      snapshot_.get(),
      &patcher_,
      &time_,
      &record_};
};

TEST_F(RepairLabelerTest, GivesTheLabelAndTakesItAway) {
  Put(1, true, false);
  Reply(200, 2);
  RunFor(milliseconds(500));
  ASSERT_THAT(transport_.requests, SizeIs(1));
  EXPECT_EQ(transport_.requests[0].target, "/api/v1/nodes/v100-1");
  EXPECT_EQ(transport_.requests[0].body,
            R"({"metadata":{"labels":{"berth.dev/repair":"allowed"},"uid":"u-v100-1"}})");
  Put(1, false, true);
  RunFor(milliseconds(500));
  ASSERT_THAT(transport_.requests, SizeIs(2));
  EXPECT_EQ(transport_.requests[1].body,
            R"({"metadata":{"labels":{"berth.dev/repair":null},"uid":"u-v100-1"}})");
  EXPECT_THAT(record_.written, ElementsAre("repair v100-1 berth.dev/repair=allowed",
                                           "repair v100-1 berth.dev/repair-"));
}

// Three of twelve may be away. The fourth comes after one label was written.
TEST_F(RepairLabelerTest, StopsAtOnceWhenTooManyAreAway) {
  for (int i = 0; i < 3; ++i) Put(i, true, false);
  Reply(200, 4);
  time_.on_wait = [this, waits = 0]() mutable {
    if (++waits != 1) return;
    Put(0, true, true);
    Put(3, true, false);
  };
  RunFor(seconds(1));
  EXPECT_THAT(record_.written, ElementsAre("repair v100-0 berth.dev/repair=allowed",
                                           "repair v100-0 berth.dev/repair-"));
}

// A node that flaps gets the label more and more seldom, but never keeps it for longer.
TEST_F(RepairLabelerTest, TakesAwayAtOnceHoweverOftenItGaveAndTookBefore) {
  Reply(200, 100);
  for (std::size_t round = 1; round <= 8; ++round) {
    RunWatched(true, minutes(6));
    ASSERT_EQ(transport_.requests.size(), 2 * round - 1) << "it has no label";
    RunWatched(false, seconds(1));
    ASSERT_EQ(transport_.requests.size(), 2 * round) << "it keeps the label";
  }
}

TEST_F(RepairLabelerTest, GivesMoreAndMoreSeldomWhatItHasToTakeAwayAgain) {
  Reply(200, 200);
  for (int i = 0; i < 60; ++i) {
    RunWatched(true, seconds(5));
    RunWatched(false, seconds(5));
  }
  EXPECT_LT(transport_.requests.size(), 20U);
}

TEST_F(RepairLabelerTest, TriesAgainAfterGrowingWaits) {
  Put(1, true, false);
  Reply(403, 100);
  RunFor(seconds(31));  // at 0, 2, 6, 14 and 30 s
  EXPECT_THAT(record_.statuses, SizeIs(5));
  EXPECT_TRUE(absl::IsPermissionDenied(record_.statuses[0]));
}

TEST_F(RepairLabelerTest, WritesNothingWhileItDoesNotLead) {
  Put(1, true, false);
  leads_ = false;
  RunFor(seconds(1));
  EXPECT_THAT(transport_.requests, IsEmpty());
}

}  // namespace
}  // namespace berth::controller
