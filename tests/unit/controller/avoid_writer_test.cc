#include "controller/avoid_writer.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/controller/fake_api.h"
#include "tests/unit/controller/fixtures.h"
#include "tests/unit/controller/limited_time.h"

namespace berth::controller {
namespace {

using policies::scheduling::GpuNode;
using policies::scheduling::kNow;
using std::chrono::hours;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr char kPath[] = "/api/v1/nodes/gpu-1";

model::Pod Failed(const std::string& name, const std::string& job) {
  model::Pod pod = PodOn("gpu-1", name);
  pod.controller_uid = job;
  pod.terminated = true;
  pod.failed_by_itself = true;
  return pod;
}

class AvoidWriterTest : public testing::Test {
 protected:
  AvoidWriterTest() {
    SeeNode({});
    api_.Put(kPath, {{"metadata", {{"name", "gpu-1"}, {"uid", "u-1"}}}});
    List({});
  }

  void SeeNode(model::StringMap annotations) {
    model::Node node = GpuNode("gpu-1", "Tesla-V100-SXM2-32GB").node;
    node.uid = "u-1";
    node.annotations = std::move(annotations);
    snapshot_->UpsertNode(node);
  }

  void List(const std::vector<model::Pod>& pods) {
    writer_.OnReplaceBegin();
    for (const model::Pod& pod : pods) writer_.OnUpsert(pod);
    writer_.OnReplaceEnd("1");
  }

  /// Lets it run, and returns what it wrote.
  std::vector<std::string> Run() {
    record_.written.clear();
    time_.end = time_.now + seconds(1);
    writer_.Run();
    return record_.written;
  }

  std::unique_ptr<cluster::Snapshot> snapshot_ = MakeSnapshot();
  FakeApi api_;
  Patcher patcher_{&api_};
  LimitedTime time_;
  WriteRecord record_;
  bool leads_ = true;
  AvoidWriter writer_{{.avoid_for = hours(1),
                       .annotation = "berth.dev/avoid",
                       .may_write = [this] { return leads_; },
                       .now = [] { return kNow; }},
                      snapshot_.get(),
                      &patcher_,
                      &time_,
                      &record_};
};

TEST_F(AvoidWriterTest, NotesWhoseJobFailed) {
  writer_.OnUpsert(Failed("train-0", "job-7"));
  EXPECT_THAT(Run(), ElementsAre("avoid gpu-1 job-7=2027-01-15T09:00:00Z"));
  EXPECT_EQ(api_.objects[kPath]["metadata"]["annotations"]["berth.dev/avoid"],
            "job-7=2027-01-15T09:00:00Z");
}

TEST_F(AvoidWriterTest, WritesOnceTheNodeIsSeen) {
  writer_.OnUpsert(Failed("train-0", "job-7"));
  Run();
  SeeNode({{"berth.dev/avoid", "job-7=2027-01-15T09:00:00Z"}});
  time_.now += seconds(600);
  EXPECT_THAT(Run(), IsEmpty());
}

TEST_F(AvoidWriterTest, OtherPodsSayNothingOfTheirNode) {
  model::Pod disrupted = Failed("a", "job-7");
  disrupted.failed_by_itself = false;
  model::Pod bare = Failed("b", "");
  model::Pod small = Failed("c", "job-7");
  small.requests = {};
  // As when somebody suspends the Job: the program ends with an error because it is told to end.
  model::Pod deleted = Failed("d", "job-7");
  deleted.deleted = kNow;
  for (const model::Pod& pod : {disrupted, bare, small, deleted}) writer_.OnUpsert(pod);
  EXPECT_THAT(Run(), IsEmpty());
}

TEST_F(AvoidWriterTest, WhatSomebodyTakesOffANodeStaysOff) {
  writer_.OnUpsert(Failed("train-0", "job-7"));
  Run();
  SeeNode({{"berth.dev/avoid", "job-7=2027-01-15T09:00:00Z"}});
  Run();
  SeeNode({});
  time_.now += seconds(600);
  EXPECT_THAT(Run(), IsEmpty());
}

// The API server stores any text as the UID of an owner.
TEST_F(AvoidWriterTest, OwnersThatAnnotationsCannotNameAreLeftOut) {
  for (const std::string& uid : {std::string("a,b"), std::string("a=b"), std::string("a b"),
                                 std::string(300000, 'x'), std::string("\xff")}) {
    writer_.OnUpsert(Failed("pod-of-" + uid.substr(0, 3), uid));
  }
  EXPECT_THAT(Run(), IsEmpty());
}

// Nobody knows when they failed. What fails while the list is made anew is known.
TEST_F(AvoidWriterTest, WhatFailedBeforeTheFirstListIsNotNoted) {
  AvoidWriter fresh({.avoid_for = hours(1),
                     .annotation = "berth.dev/avoid",
                     .may_write = [] { return true; },
                     .now = [] { return kNow; }},
                    snapshot_.get(), &patcher_, &time_, &record_);
  const auto run = [&] {
    time_.end = time_.now + seconds(1);
    fresh.Run();
  };
  fresh.OnReplaceBegin();
  fresh.OnUpsert(Failed("old", "job-1"));
  fresh.OnReplaceEnd("1");
  fresh.OnUpsert(Failed("old", "job-1"));
  run();
  EXPECT_THAT(record_.written, IsEmpty());
  fresh.OnReplaceBegin();
  fresh.OnUpsert(Failed("old", "job-1"));
  fresh.OnUpsert(Failed("new", "job-2"));
  fresh.OnReplaceEnd("2");
  run();
  EXPECT_THAT(record_.written, ElementsAre("avoid gpu-1 job-2=2027-01-15T09:00:00Z"));
}

// 20 a second, of which each is due as soon as its Job has failed.
TEST_F(AvoidWriterTest, NotesWhatFailsOnManyNodesWithinASecond) {
  for (int i = 2; i < 12; ++i) {
    const std::string name = "gpu-" + std::to_string(i);
    model::Node node = GpuNode(name, "Tesla-V100-SXM2-32GB").node;
    node.uid = "u-" + std::to_string(i);
    snapshot_->UpsertNode(node);
    api_.Put("/api/v1/nodes/" + name, {{"metadata", {{"name", name}, {"uid", node.uid}}}});
    model::Pod pod = Failed("train-" + std::to_string(i), "job-7");
    pod.node_name = name;
    writer_.OnUpsert(pod);
  }
  EXPECT_THAT(Run(), testing::SizeIs(10));
}

TEST_F(AvoidWriterTest, OnlyTheLeaderWrites) {
  leads_ = false;
  writer_.OnUpsert(Failed("train-0", "job-7"));
  EXPECT_THAT(Run(), IsEmpty());
  leads_ = true;
  EXPECT_THAT(Run(), testing::SizeIs(1));
}

TEST_F(AvoidWriterTest, TakesAwayWhatHasExpired) {
  SeeNode({{"berth.dev/avoid", "job-7=2027-01-15T08:00:00Z"}});
  EXPECT_THAT(Run(), testing::Contains("avoid gpu-1 "));
  EXPECT_FALSE(api_.objects[kPath]["metadata"]["annotations"].contains("berth.dev/avoid"));
}

}  // namespace
}  // namespace berth::controller
