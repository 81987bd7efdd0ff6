#include "controller/gate_remover.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/controller/fixtures.h"
#include "tests/unit/controller/limited_time.h"
#include "tests/unit/kube/scripted_transport.h"

namespace berth::controller {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr char kGate[] = "berth.dev/gang";

model::Pod Behind(const std::string& name, std::vector<std::string> gates) {
  model::Pod pod = PodOn("", name);
  pod.gates = std::move(gates);
  pod.gated = !pod.gates.empty();
  return pod;
}

class GateRemoverTest : public ::testing::Test {
 protected:
  GateRemoverTest() {
    for (int i = 0; i < 100; ++i) transport_.replies.push_back({.body = "{}"});
  }

  void List(const std::vector<model::Pod>& pods) {
    remover_.OnReplaceBegin();
    for (const model::Pod& pod : pods) remover_.OnUpsert(pod);
    remover_.OnReplaceEnd("7");
  }
  void RunFor(seconds duration) {
    time_.end = time_.now + duration;
    remover_.Run();
  }

  kube::ScriptedTransport transport_;
  Patcher patcher_{&transport_};
  LimitedTime time_;
  WriteRecord record_;
  bool leads_ = true;
  GateRemover remover_{
      {.gangs = model::GangNames("berth.dev"), .may_write = [this] { return leads_; }},
      &patcher_,
      &time_,
      &record_};
};

TEST_F(GateRemoverTest, TakesItsOwnGateAwayAndLeavesOthers) {
  List({Behind("a", {kGate}), Behind("b", {"kueue.x-k8s.io/admission", kGate}),
        Behind("c", {"kueue.x-k8s.io/admission"}), Behind("d", {})});
  RunFor(seconds(1));
  EXPECT_THAT(record_.written, ElementsAre("gate ml/a berth.dev/gang", "gate ml/b berth.dev/gang"));
  ASSERT_THAT(transport_.requests, SizeIs(2));
  EXPECT_EQ(transport_.requests[1].target, "/api/v1/namespaces/ml/pods/b");
  EXPECT_EQ(
      transport_.requests[1].body,
      R"({"metadata":{"annotations":{"berth.dev/gang-freed":"true"},"uid":"b-uid"},"spec":{"schedulingGates":)"
      R"([{"$patch":"delete","name":"berth.dev/gang"}]}})");
}

TEST_F(GateRemoverTest, CreatesThePodGroupsForWhichPodsOfGangsWait) {
  GateRemover remover({.gangs = model::GangNames("berth.dev"),
                       .pod_groups = true,
                       .may_write = [] { return true; }},
                      &patcher_, &time_, &record_);
  model::Pod ours = Behind("a", {});
  ours.annotations = {{"berth.dev/gang-name", "train"}, {"berth.dev/gang-size", "2"}};
  ours.scheduling_group = "berth-train";
  model::Pod others = Behind("b", {});
  others.scheduling_group = "mine";
  remover.OnUpsert(ours);
  remover.OnUpsert(others);
  time_.end = time_.now + seconds(1);
  remover.Run();
  ASSERT_THAT(transport_.requests, SizeIs(2));
  EXPECT_EQ(transport_.requests[0].target,
            "/apis/scheduling.k8s.io/v1beta1/namespaces/ml/podgroups");
  EXPECT_THAT(transport_.requests[0].body, testing::HasSubstr(R"("berth.dev/gang-freed":"true")"));
  EXPECT_THAT(transport_.requests[1].body, testing::HasSubstr(R"("value":1})"));
  EXPECT_THAT(record_.written, ElementsAre("pod_group ml/a berth-train"));
}

TEST_F(GateRemoverTest, ACandidateWritesNothing) {
  leads_ = false;
  List({Behind("a", {kGate})});
  RunFor(seconds(5));
  EXPECT_THAT(transport_.requests, IsEmpty());
  leads_ = true;
  RunFor(seconds(1));
  EXPECT_THAT(transport_.requests, SizeIs(1));
}

TEST_F(GateRemoverTest, OneThatKeepsItsGateIsTriedAgain) {
  transport_.replies.front().status = 500;
  List({Behind("a", {kGate})});
  RunFor(seconds(1));
  EXPECT_THAT(transport_.requests, SizeIs(1));
  RunFor(Retries::kFirst);
  EXPECT_THAT(transport_.requests, SizeIs(2));
}

TEST_F(GateRemoverTest, LeavesPodsAloneThatAreFreeOrGone) {
  List({Behind("a", {kGate}), Behind("b", {kGate}), Behind("c", {kGate}), Behind("d", {kGate})});
  remover_.OnUpsert(Behind("a", {}));
  remover_.OnDelete(Behind("b", {kGate}));
  model::Pod ends = Behind("c", {kGate});
  ends.deleted = policies::scheduling::kNow;
  remover_.OnUpsert(ends);
  RunFor(seconds(1));
  EXPECT_THAT(record_.written, ElementsAre("gate ml/d berth.dev/gang"));
}

TEST_F(GateRemoverTest, WhereGangsArePlannedItEndsAtOnce) {
  GateRemover none({.may_write = [] { return true; }}, &patcher_, &time_, &record_);
  none.OnUpsert(Behind("a", {kGate}));
  const auto begun = time_.now;
  none.Run();
  EXPECT_EQ(time_.now, begun);
  EXPECT_THAT(transport_.requests, IsEmpty());
}

}  // namespace
}  // namespace berth::controller
