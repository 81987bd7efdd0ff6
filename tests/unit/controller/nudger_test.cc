#include "controller/nudger.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/controller/fixtures.h"
#include "tests/unit/controller/limited_time.h"
#include "tests/unit/kube/scripted_transport.h"

namespace berth::controller {
namespace {

using policies::scheduling::GpuNode;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::IsEmpty;
using testing::SizeIs;

using policies::scheduling::kV100;

class NudgerTest : public ::testing::Test {
 protected:
  NudgerTest() {
    Break();
    for (int i = 0; i < 1000; ++i) transport_.replies.push_back({.status = 200, .body = "{}"});
  }

  void Wait(int pods) {
    nudger_.OnReplaceBegin();
    for (int i = 0; i < pods; ++i) {
      model::Pod pod = PodOn("", "pod-" + std::to_string(i));
      pod.unschedulable = "0/9 nodes are available: 1 node(s) had condition GPUIsLost.";
      nudger_.OnUpsert(pod);
    }
    nudger_.OnReplaceEnd("10");
  }

  void Break() { snapshot_->UpsertNode(Broken(GpuNode("bad", kV100, devices_)).node); }
  void Recover() { snapshot_->UpsertNode(GpuNode("bad", kV100, devices_).node); }

  void RunFor(milliseconds duration) {
    time_.end = time_.now + duration;
    nudger_.Run();
  }

  std::int64_t devices_ = 8;
  std::unique_ptr<cluster::Snapshot> snapshot_ = MakeSnapshot();
  kube::ScriptedTransport transport_;
  Patcher patcher_{&transport_};
  LimitedTime time_;
  WriteRecord record_;
  bool leads_ = true;
  Nudger nudger_{
      {.annotation = "berth.dev/nudged-at",
       .may_write = [this] { return leads_; },
       .now = [] { return policies::scheduling::kNow; }},
      std::make_shared<const policies::scheduling::SchedulingEngine>(
          policies::scheduling::Catalog(), "berth.dev", policies::scheduling::SchedulingConfig{}),
      snapshot_.get(),
      &patcher_,
      &time_,
      &record_};
};

TEST_F(NudgerTest, TouchesTheAnnotationOfThatVeryPod) {
  Wait(1);
  RunFor(seconds(2));
  EXPECT_THAT(transport_.requests, IsEmpty());
  Recover();
  RunFor(seconds(2));
  ASSERT_THAT(transport_.requests, SizeIs(1));
  EXPECT_EQ(transport_.requests[0].method, kube::HttpMethod::kPatch);
  EXPECT_EQ(transport_.requests[0].target, "/api/v1/namespaces/ml/pods/pod-0");
  EXPECT_EQ(transport_.requests[0].body,
            R"({"metadata":{"annotations":{"berth.dev/nudged-at":"2027-01-15T08:00:00Z"},)"
            R"("uid":"pod-0-uid"}})");
  EXPECT_THAT(record_.written, testing::ElementsAre("nudge ml/pod-0 2027-01-15T08:00:00Z"));
}

TEST_F(NudgerTest, WritesFiftyASecondAtMost) {
  devices_ = 1000;
  Break();
  Wait(200);
  RunFor(seconds(1));
  Recover();
  RunFor(milliseconds(2500));
  EXPECT_GE(transport_.requests.size(), 50U);
  EXPECT_LE(transport_.requests.size(), 80U) << "within a second and a half since they are due";
}

TEST_F(NudgerTest, ACandidateWatchesButDoesNotWrite) {
  Wait(1);
  leads_ = false;
  RunFor(seconds(1));
  Recover();
  RunFor(seconds(5));
  EXPECT_THAT(transport_.requests, IsEmpty());
  leads_ = true;  // the other one has just died
  RunFor(seconds(1));
  EXPECT_THAT(transport_.requests, SizeIs(1));
}

TEST_F(NudgerTest, APodThatIsGoneIsForgotten) {
  Wait(1);
  RunFor(seconds(1));
  nudger_.OnDelete(PodOn("", "pod-0"));
  Recover();
  RunFor(seconds(40));
  EXPECT_THAT(transport_.requests, IsEmpty());
}

}  // namespace
}  // namespace berth::controller
