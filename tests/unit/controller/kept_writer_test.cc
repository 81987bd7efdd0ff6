#include "controller/kept_writer.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "controller/kept_rooms.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/controller/fake_api.h"
#include "tests/unit/controller/fixtures.h"
#include "tests/unit/controller/limited_time.h"

namespace berth::controller {
namespace {

using model::KeptRoom;
using policies::scheduling::GpuNode;
using policies::scheduling::kNow;
using policies::scheduling::kV100;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

constexpr char kKeptNodes[] = "/api/v1/nodes/";
constexpr char kKeptNode[] = "/api/v1/nodes/gpu-1";
constexpr char kKeptText[] = "berth.dev/kept";

KeptRoom Kept() {
  return {.gang = "ml/train",
          .resource = std::string(policies::scheduling::kGpu),
          .devices = 8,
          .created = kNow,
          .ends_by = kNow + std::chrono::hours(1)};
}

// The same as it stands on the node.
KeptRoom KeptUntil(model::Time until) {
  KeptRoom room = Kept();
  room.until = until;
  return room;
}

std::string Said(const KeptRoom& room) { return "kept gpu-1 " + model::KeptRoomsText({room}); }

class KeptWriterTest : public testing::Test {
 protected:
  KeptWriterTest() { Add("gpu-1"); }

  void Add(const std::string& name) {
    api_.Put(kKeptNodes + name, {{"metadata", {{"name", name}}}});
    Show(name);
  }

  /// The snapshot hears how the node is now.
  void Show(const std::string& name = "gpu-1") {
    model::Node node = GpuNode(name, kV100).node;
    node.uid = "u-1";
    const std::string text = Text(name);
    if (!text.empty()) node.annotations = {{kKeptText, text}};
    snapshot_->UpsertNode(node);
  }

  /// What the node says; empty: nothing.
  std::string Text(const std::string& name = "gpu-1") {
    const nlohmann::json& metadata = api_.objects[kKeptNodes + name]["metadata"];
    return metadata.value("annotations", nlohmann::json::object()).value(kKeptText, "");
  }

  void Put(const std::vector<KeptRoom>& rooms) {
    const std::string text = model::KeptRoomsText(rooms);
    api_.Put(kKeptNode, {{"metadata", {{"annotations", {{kKeptText, text}}}}}});
    Show();
  }

  /// Lets it run for so long, and returns what it wrote.
  std::vector<std::string> Run(seconds duration = seconds(1)) { return Run(writer_, duration); }
  std::vector<std::string> Run(KeptWriter& writer, seconds duration) {
    record_.written.clear();
    time_.end = time_.now + duration;
    writer.Run();
    return record_.written;
  }

  KeptWriter Make(std::chrono::milliseconds pace = std::chrono::milliseconds(50)) {
    return {{.annotation = kKeptText,
             .kept = [this] { return kept_.Get(); },
             .may_write = [this] { return leads_; },
             .now = [this] { return now_; },
             .pace = pace},
            snapshot_.get(),
            &patcher_,
            &time_,
            &record_};
  }

  std::unique_ptr<cluster::Snapshot> snapshot_ = MakeSnapshot();
  FakeApi api_;
  Patcher patcher_{&api_};
  LimitedTime time_;
  WriteRecord record_;
  KeptRooms kept_;
  bool leads_ = true;
  model::Time now_ = kNow;
  KeptWriter writer_ = Make();
};

TEST_F(KeptWriterTest, NotesWhatIsKeptForTenMinutes) {
  kept_.Set({{"gpu-1", {Kept()}}});
  EXPECT_THAT(Run(), ElementsAre(Said(KeptUntil(kNow + minutes(10)))));
  EXPECT_EQ(api_.objects[kKeptNode]["metadata"]["uid"], "u-1");
  EXPECT_THAT(model::ParseKeptRooms(Text()), SizeIs(1));
  Show();
  EXPECT_THAT(Run(seconds(60)), IsEmpty()) << "it is there";
}

TEST_F(KeptWriterTest, RenewsItWhenHalfOfThatIsOver) {
  kept_.Set({{"gpu-1", {Kept()}}});
  Run();
  Show();
  now_ += minutes(5);
  EXPECT_THAT(Run(seconds(60)), IsEmpty());
  now_ += seconds(1);
  EXPECT_THAT(Run(), ElementsAre(Said(KeptUntil(now_ + minutes(10)))));
}

TEST_F(KeptWriterTest, RemovesWhatIsNotKeptAnyMore) {
  Put({KeptUntil(kNow + minutes(8))});
  kept_.Set({});
  EXPECT_THAT(Run(), ElementsAre("kept gpu-1 "));
  EXPECT_EQ(Text(), "");
}

// A controller that takes over has no plan yet.
TEST_F(KeptWriterTest, LeavesWhatIsThereUntilItIsKnownWhatIsKept) {
  KeptRoom over = KeptUntil(kNow);
  over.gang = "ml/over";
  const KeptRoom fresh = KeptUntil(kNow + seconds(1));
  Put({over, fresh});
  EXPECT_THAT(Run(), ElementsAre(Said(fresh)));
  Show();
  EXPECT_THAT(Run(seconds(60)), IsEmpty());
  kept_.Set({});
  EXPECT_THAT(Run(), ElementsAre("kept gpu-1 "));
}

TEST_F(KeptWriterTest, ForgetsThePlanWhenAnotherControllerLeads) {
  Put({KeptUntil(kNow + minutes(8))});
  kept_.Set({});
  kept_.Clear();
  EXPECT_THAT(Run(), IsEmpty());
}

TEST_F(KeptWriterTest, OnlyTheLeaderWrites) {
  kept_.Set({{"gpu-1", {Kept()}}});
  leads_ = false;
  EXPECT_THAT(Run(seconds(60)), IsEmpty());
  leads_ = true;
  EXPECT_THAT(Run(), SizeIs(1));
}

// Gangs come and go on the same nodes: each time the node has to say so soon, but not all the time.
TEST_F(KeptWriterTest, IsAsQuickHoweverOftenThePlanChanges) {
  for (int i = 0; i < 10; ++i) {
    kept_.Set(i % 2 == 0 ? KeptByNode{{"gpu-1", {Kept()}}} : KeptByNode{});
    EXPECT_THAT(Run(seconds(1)), SizeIs(1)) << i;
    Show();
    EXPECT_THAT(Run(seconds(2)), IsEmpty()) << "every 3 s: " << i;
  }
  for (int i = 0; i < 60; ++i) {
    KeptRoom room = Kept();
    room.devices = i + 1;
    kept_.Set({{"gpu-1", {room}}});
    EXPECT_THAT(Run(seconds(1)), SizeIs(i % 2 == 0 ? 1 : 0)) << "every second: " << i;
    Show();
  }
}

TEST_F(KeptWriterTest, DoesNotWriteANodeAgainBeforeTheLastWriteIsSeen) {
  kept_.Set({{"gpu-1", {Kept()}}});
  EXPECT_THAT(Run(seconds(9)), SizeIs(1));
  Show();
  kept_.Set({});
  EXPECT_THAT(Run(), ElementsAre("kept gpu-1 "));
}

// Somebody else may have written at the same moment.
TEST_F(KeptWriterTest, WritesAgainWhatIsNeverSeen) {
  kept_.Set({{"gpu-1", {Kept()}}});
  EXPECT_THAT(Run(KeptWriter::kLost + seconds(1)), SizeIs(2));
}

TEST_F(KeptWriterTest, AfterAWriteThatHasWorkedItIsAsQuickAsBefore) {
  kept_.Set({{"gpu-1", {Kept()}}});
  api_.failures[std::string("PATCH ") + kKeptNode] = 500;
  EXPECT_THAT(Run(seconds(10)), SizeIs(3));
  api_.failures.clear();
  EXPECT_THAT(Run(seconds(5)), SizeIs(1));
  Show();
  kept_.Set({});
  EXPECT_THAT(Run(seconds(2)), ElementsAre("kept gpu-1 "));
}

TEST_F(KeptWriterTest, WrongEntriesComeBeforeRenewals) {
  Add("gpu-2");
  Put({KeptUntil(kNow + minutes(1))});
  kept_.Set({{"gpu-1", {Kept()}}, {"gpu-2", {Kept()}}});
  EXPECT_THAT(Run(), ElementsAre(StartsWith("kept gpu-2"), StartsWith("kept gpu-1")));
}

TEST_F(KeptWriterTest, NodesThatChangeAllTheTimeHoldUpNoOthers) {
  Add("gpu-2");
  KeptWriter slow = Make(seconds(2));
  std::vector<std::string> written;
  for (int i = 0; i < 4; ++i) {
    KeptRoom room = Kept();
    room.devices = i + 1;
    kept_.Set({{"gpu-1", {room}}, {"gpu-2", {room}}});
    for (const std::string& each : Run(slow, seconds(1))) written.push_back(each.substr(0, 10));
    for (const char* node : {"gpu-1", "gpu-2"}) Show(node);
  }
  EXPECT_THAT(written, ElementsAre("kept gpu-1", "kept gpu-2", "kept gpu-1", "kept gpu-2"));
}

TEST_F(KeptWriterTest, TriesAgainAfterWaitsThatDouble) {
  kept_.Set({{"gpu-1", {Kept()}}});
  api_.failures[std::string("PATCH ") + kKeptNode] = 403;
  EXPECT_THAT(Run(seconds(5)), SizeIs(2));
  EXPECT_TRUE(absl::IsPermissionDenied(record_.statuses.front()));
  EXPECT_THAT(Run(seconds(5)), SizeIs(1));
  EXPECT_THAT(Run(seconds(5)), SizeIs(1));
  EXPECT_THAT(Run(seconds(5)), IsEmpty());
}

}  // namespace
}  // namespace berth::controller
