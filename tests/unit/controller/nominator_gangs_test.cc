#include "controller/nominator.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/controller/nominator_fixture.h"

namespace berth::controller {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// The same pod if it waits for a PodGroup instead of a gate.
model::Pod InGroup(model::Pod pod) {
  pod.gates.clear();
  pod.gated = false;
  pod.scheduling_group = "berth-train";
  return pod;
}

TEST_F(NominatorTest, NominatesAGangAndThenTakesItsGatesAway) {
  for (int i = 0; i < 4; ++i) Reply(200);
  Nominator nominator = Make(WithGangs());
  std::vector<model::Pod> pods = {OfGang("train-0"), OfGang("train-1")};
  Wait(nominator, pods);
  RunFor(nominator, milliseconds(100));
  ASSERT_THAT(transport_.requests, SizeIs(2));
  EXPECT_EQ(transport_.requests[0].target, "/api/v1/namespaces/ml/pods/train-0/status");
  EXPECT_EQ(transport_.requests[0].body,
            R"({"metadata":{"annotations":{"berth.dev/plan":"v100-1",)"
            R"("berth.dev/plan-for":"gang","berth.dev/plan-lease":""},)"
            R"("uid":"train-0-uid"},"status":{"nominatedNodeName":"v100-1"}})");
  for (model::Pod& pod : pods) {
    pod.nominated_node = "v100-1";
    pod.annotations.emplace_back("berth.dev/plan", "v100-1");
    nominator.OnUpsert(pod);
  }
  RunFor(nominator, milliseconds(100));
  ASSERT_THAT(transport_.requests, SizeIs(4));
  EXPECT_EQ(transport_.requests[3].target, "/api/v1/namespaces/ml/pods/train-1");
  EXPECT_EQ(transport_.requests[3].body,
            R"({"metadata":{"uid":"train-1-uid"},"spec":{"schedulingGates":null}})");
  EXPECT_EQ(record_.written.back(), "gate ml/train-1 ");
}

TEST_F(NominatorTest, CreatesAPodGroupForAGangThatWaitsForIt) {
  for (int i = 0; i < 4; ++i) Reply(200);
  planner::PlannerConfig config = WithGangs();
  config.gangs.pod_groups = true;
  PodGroupReader::Known known;
  Nominator nominator = MakeWithGroups(config, &known);
  std::vector<model::Pod> pods = {InGroup(OfGang("train-0")), InGroup(OfGang("train-1"))};
  Wait(nominator, pods);
  RunFor(nominator, milliseconds(100));
  ASSERT_THAT(transport_.requests, SizeIs(2));
  for (model::Pod& pod : pods) {
    pod.nominated_node = "v100-1";
    pod.annotations.emplace_back("berth.dev/plan", "v100-1");
    nominator.OnUpsert(pod);
  }
  RunFor(nominator, milliseconds(100));
  ASSERT_THAT(transport_.requests, SizeIs(4));
  EXPECT_EQ(transport_.requests[2].method, kube::HttpMethod::kPost);
  EXPECT_EQ(transport_.requests[2].target,
            "/apis/scheduling.k8s.io/v1beta1/namespaces/ml/podgroups");
  EXPECT_EQ(transport_.requests[3].method, kube::HttpMethod::kPatch);
  EXPECT_EQ(record_.written.back(), "pod_group ml/berth-train ");
  // Both are bound, and the PodGroup is there.
  for (int i = 0; i < 2; ++i) Reply(200);
  known.groups["ml/berth-train"].uid = "uid-1";
  for (const model::Pod& pod : pods) nominator.OnDelete(pod);
  RunFor(nominator, milliseconds(100));
  ASSERT_THAT(transport_.requests, SizeIs(6));
  EXPECT_EQ(transport_.requests[5].method, kube::HttpMethod::kDelete);
  EXPECT_EQ(transport_.requests[5].body, R"({"preconditions":{"uid":"uid-1"}})");
}

// As the API server shows the pod once it is nominated.
model::Pod NominatedFor(model::Pod pod, const std::string& term) {
  pod.nominated_node = "v100-1";
  pod.annotations = {{"berth.dev/gang-name", "train"},
                     {"berth.dev/gang-size", "2"},
                     {"berth.dev/plan", "v100-1"},
                     {"berth.dev/plan-lease", term}};
  return pod;
}

// The new one may not know what was nominated before it led.
TEST_F(NominatorTest, NominatesAgainForAnotherKubeScheduler) {
  for (int i = 0; i < 6; ++i) Reply(200);
  std::string term = "a/1";
  Nominator nominator = Make(WithGangs(), [&term] { return SchedulerTerm{term}; });
  const std::vector<model::Pod> pods = {OfGang("train-0"), OfGang("train-1")};
  Wait(nominator, pods);
  RunFor(nominator, milliseconds(100));
  ASSERT_THAT(transport_.requests, SizeIs(2));
  EXPECT_THAT(transport_.requests[0].body, testing::HasSubstr(R"("berth.dev/plan-lease":"a/1")"));
  term = "b/2";
  for (const model::Pod& pod : pods) nominator.OnUpsert(NominatedFor(pod, "a/1"));
  RunFor(nominator, milliseconds(100));
  ASSERT_THAT(transport_.requests, SizeIs(4)) << "released although b may know of no nomination";
  EXPECT_EQ(transport_.requests[2].target, "/api/v1/namespaces/ml/pods/train-0/status");
  EXPECT_THAT(transport_.requests[3].body, testing::HasSubstr(R"("berth.dev/plan-lease":"b/2")"));
  for (const model::Pod& pod : pods) nominator.OnUpsert(NominatedFor(pod, "b/2"));
  RunFor(nominator, milliseconds(100));
  ASSERT_THAT(transport_.requests, SizeIs(6));
  EXPECT_THAT(transport_.requests[5].body, testing::HasSubstr("schedulingGates"));
}

// A right that is missing for good must not hold all gangs back.
TEST_F(NominatorTest, WaitsForAWhileToKnowWhoLeads) {
  for (int i = 0; i < 4; ++i) Reply(200);
  SchedulerTerm term{"a/1"};
  Nominator nominator = Make(WithGangs(), [&term] { return term; });
  const std::vector<model::Pod> pods = {OfGang("train-0"), OfGang("train-1")};
  Wait(nominator, pods);
  RunFor(nominator, milliseconds(100));
  ASSERT_THAT(transport_.requests, SizeIs(2));
  term.is_certain = false;
  for (const model::Pod& pod : pods) nominator.OnUpsert(NominatedFor(pod, "a/1"));
  RunFor(nominator, Nominator::kTermPatience - std::chrono::seconds(1));
  EXPECT_THAT(transport_.requests, SizeIs(2)) << "released although another one may lead";
  RunFor(nominator, std::chrono::seconds(2));
  ASSERT_THAT(transport_.requests, SizeIs(4));
  EXPECT_THAT(transport_.requests[2].body, testing::HasSubstr("schedulingGates"));
}

TEST_F(NominatorTest, AsksWhoLeadsWhileAGangIsAboutToBeReleased) {
  int asked = 0;
  const auto term = [&asked] {
    ++asked;
    return SchedulerTerm{"a/1"};
  };
  Nominator nominator = Make(WithGangs(), term);
  Wait(nominator, {OfGang("train-0")});
  for (int i = 0; i < 5; ++i) {
    nominator.OnUpsert(OfGang("train-0"));
    RunFor(nominator, milliseconds(100));
  }
  EXPECT_EQ(asked, 1) << "nothing hangs on it, and it was said a moment ago";
  for (int i = 0; i < 2; ++i) Reply(200);
  nominator.OnUpsert(OfGang("train-1"));
  RunFor(nominator, milliseconds(100));
  ASSERT_THAT(transport_.requests, SizeIs(2));
  EXPECT_EQ(asked, 1);
  nominator.OnUpsert(NominatedFor(OfGang("train-0"), "a/1"));
  RunFor(nominator, milliseconds(100));
  EXPECT_EQ(asked, 2);
}

TEST_F(NominatorTest, CountsWhatBecomesOfGangs) {
  for (int i = 0; i < 4; ++i) Reply(200);
  planner::PlannerConfig config = WithGangs();
  config.topology = {{"zone"}};
  Nominator nominator = Make(config);
  const std::vector<model::Pod> pods = {OfGang("train-0"), OfGang("train-1")};
  Wait(nominator, pods);
  RunFor(nominator, milliseconds(100));
  for (const char* series : {"berth_planner_gangs{phase=\"planned\"} 1\n",
                             "berth_planner_gang_spans_count{label=\"zone\"} 0\n"}) {
    EXPECT_THAT(metrics_.Exposition(), testing::HasSubstr(series));
  }
  for (const model::Pod& pod : pods) nominator.OnUpsert(NominatedFor(pod, ""));
  RunFor(nominator, milliseconds(100));
  for (const char* series :
       {"berth_planner_gangs{phase=\"planned\"} 0\n", "berth_planner_gangs{phase=\"released\"} 1\n",
        "berth_planner_gang_events_total{event=\"released\"} 1\n",
        "berth_planner_gang_wait_seconds_count 1\n",
        "berth_planner_gang_spans_sum{label=\"zone\"} 1\n"}) {
    EXPECT_THAT(metrics_.Exposition(), testing::HasSubstr(series));
  }
  leads_ = false;
  RunFor(nominator, milliseconds(100));
  EXPECT_THAT(metrics_.Exposition(),
              testing::HasSubstr("berth_planner_gangs{phase=\"released\"} 0\n"));
}

TEST_F(NominatorTest, MeasuresHowLongAReleasedGangHasLackedPods) {
  constexpr char kNone[] = "berth_planner_gang_incomplete_seconds 0\n";
  Nominator nominator = Make(WithGangs());
  model::Pod released = NominatedFor(OfGang("train-0"), "");
  released.gates.clear();
  released.gated = false;
  Wait(nominator, {released, OfGang("train-1")});
  RunFor(nominator, minutes(4));
  EXPECT_THAT(metrics_.Exposition(), testing::HasSubstr(kNone));
  RunFor(nominator, minutes(3));
  EXPECT_THAT(metrics_.Exposition(), testing::HasSubstr("berth_planner_gang_incomplete_seconds 4"));
  leads_ = false;
  RunFor(nominator, milliseconds(100));
  EXPECT_THAT(metrics_.Exposition(), testing::HasSubstr(kNone));
}

TEST_F(NominatorTest, MeasuresHowLongAPodHasWaitedWhoseGangCannotBeRead) {
  Nominator nominator = Make(WithGangs());
  model::Pod pod = OfGang("train-0");
  pod.annotations.clear();
  pod.created = policies::scheduling::kNow - seconds(90'000);
  Wait(nominator, {pod});
  RunFor(nominator, milliseconds(100));
  EXPECT_THAT(metrics_.Exposition(), testing::HasSubstr("berth_planner_gang_oldest_seconds 90000"));
}

TEST_F(NominatorTest, TellsOfGangsWhileItLeads) {
  Nominator nominator = Make(WithGangs());
  const auto watcher = gang_feed_.changes().Watch([] {});
  ASSERT_TRUE(watcher.ok());
  RunFor(nominator, milliseconds(100));
  EXPECT_FALSE(gang_feed_.Known()) << "waiting pods are not listed yet";
  Wait(nominator, {OfGang("train-0")});
  RunFor(nominator, milliseconds(100));
  ASSERT_TRUE(gang_feed_.Known());
  ASSERT_THAT(*gang_feed_.Known(), SizeIs(1));
  EXPECT_EQ(gang_feed_.Known()->at(0).reason, "1 of 2 pods are there");
  const auto told = (*watcher)->Take();
  ASSERT_TRUE(told);
  EXPECT_EQ(told->item.event, planner::GangEvent::kCollecting);
  EXPECT_EQ(told->item.time, policies::scheduling::kNow);
  leads_ = false;
  RunFor(nominator, milliseconds(100));
  EXPECT_FALSE(gang_feed_.Known());
  EXPECT_FALSE((*watcher)->End().ok());
}

TEST_F(NominatorTest, TellsWhatItKeepsForGangsWhileItLeads) {
  model::Pod running = PodOn("v100-1", "running");
  running.requests.Set(policies::scheduling::kGpu, 8);
  snapshot_->UpsertPod(running);
  planner::PlannerConfig config = WithGangs();
  config.gangs.max_share = 1;
  Nominator nominator = Make(config);
  RunFor(nominator, milliseconds(100));
  EXPECT_FALSE(kept_rooms_.Get()) << "waiting pods are not listed yet";
  const std::vector<model::Pod> pods = {OfGang("train-0"), OfGang("train-1")};
  Wait(nominator, pods);
  RunFor(nominator, milliseconds(100));
  ASSERT_TRUE(kept_rooms_.Get());
  ASSERT_THAT(*kept_rooms_.Get(), ElementsAre(testing::Pair("v100-1", SizeIs(1))));
  const model::KeptRoom room = kept_rooms_.Get()->at("v100-1").front();
  EXPECT_EQ(room.resource, policies::scheduling::kGpu);
  EXPECT_EQ(room.devices, 2);
  leads_ = false;
  RunFor(nominator, milliseconds(100));
  EXPECT_FALSE(kept_rooms_.Get());
  leads_ = true;
  for (const model::Pod& pod : pods) nominator.OnDelete(pod);
  RunFor(nominator, milliseconds(100));
  ASSERT_TRUE(kept_rooms_.Get());
  EXPECT_THAT(*kept_rooms_.Get(), IsEmpty());
}

// Its predecessor may have kept room for the gang, and that is noted on nodes.
TEST_F(NominatorTest, ANewLeaderThatKnowsNoPodGroupsDoesNotSayThatNothingIsKept) {
  model::Pod running = PodOn("v100-1", "running");
  running.requests.Set(policies::scheduling::kGpu, 8);
  snapshot_->UpsertPod(running);
  planner::PlannerConfig config = WithGangs();
  config.gangs.max_share = 1;
  config.gangs.pod_groups = true;
  const std::string obstacle = "PodGroups cannot be read: 429 Too Many Requests";
  PodGroupReader::Known known{.obstacle = obstacle};
  Nominator nominator = MakeWithGroups(config, &known);
  const std::vector<model::Pod> pods = {InGroup(OfGang("train-0")), InGroup(OfGang("train-1"))};
  Wait(nominator, pods);
  RunFor(nominator, seconds(2));
  EXPECT_FALSE(kept_rooms_.Get());
  known.obstacle.clear();
  RunFor(nominator, seconds(2));
  ASSERT_TRUE(kept_rooms_.Get());
  EXPECT_THAT(*kept_rooms_.Get(), ElementsAre(testing::Key("v100-1")));
  known.obstacle = obstacle;
  RunFor(nominator, seconds(2));
  ASSERT_TRUE(kept_rooms_.Get());
  EXPECT_THAT(*kept_rooms_.Get(), ElementsAre(testing::Key("v100-1"))) << "it is known by now";
  leads_ = false;
  RunFor(nominator, milliseconds(100));
  leads_ = true;
  RunFor(nominator, Nominator::kKeptPatience - seconds(1));
  EXPECT_FALSE(kept_rooms_.Get()) << "somebody else has led";
  // A right that is missing for good must not take the room from all other gangs.
  RunFor(nominator, seconds(3));
  ASSERT_TRUE(kept_rooms_.Get());
  EXPECT_THAT(*kept_rooms_.Get(), IsEmpty());
}

TEST_F(NominatorTest, ThatNoGangWaitsIsKnownToOneThatLeadsAgain) {
  Nominator nominator = Make(WithGangs());
  Wait(nominator, {});
  for (const bool leads : {true, false, true}) {
    leads_ = leads;
    RunFor(nominator, milliseconds(100));
    EXPECT_EQ(gang_feed_.Known().has_value(), leads);
  }
}

TEST_F(NominatorTest, SaysInAConditionAndAnEventWhyAGangWaits) {
  for (int i = 0; i < 3; ++i) Reply(200);
  Nominator nominator = Make(WithGangs());
  Wait(nominator, {OfGang("train-0")});
  RunFor(nominator, seconds(12));
  ASSERT_THAT(transport_.requests, SizeIs(3));
  EXPECT_EQ(transport_.requests[0].target, "/api/v1/namespaces/ml/pods?limit=250");
  EXPECT_EQ(transport_.requests[1].target, "/api/v1/namespaces/ml/pods/train-0/status");
  EXPECT_EQ(transport_.requests[1].body,
            R"({"metadata":{"uid":"train-0-uid"},"status":{"conditions":[{"lastTransitionTime":)"
            R"("2027-01-15T08:00:00Z","message":"gang train of 2: 1 of 2 pods are there",)"
            R"("reason":"Waiting","status":"False","type":"berth.dev/gang"}]}})");
  EXPECT_EQ(transport_.requests[2].target, "/api/v1/namespaces/ml/events");
  EXPECT_EQ(transport_.requests[2].body,
            R"({"firstTimestamp":"2027-01-15T08:00:00Z","involvedObject":{"apiVersion":"v1",)"
            R"("kind":"Pod","name":"train-0","namespace":"ml","uid":"train-0-uid"},)"
            R"("lastTimestamp":"2027-01-15T08:00:00Z",)"
            R"("message":"gang train of 2: 1 of 2 pods are there",)"
            R"("metadata":{"generateName":"train-0."},"reason":"GangWaits",)"
            R"("source":{"component":"berth"},"type":"Normal"})");
}

// Of a large gang there are thousands of conditions to write.
TEST_F(NominatorTest, TellsOfGangsWhenNothingElseIsToBeWritten) {
  for (int i = 0; i < 4; ++i) Reply(200);
  Nominator nominator = Make(WithGangs());
  Wait(nominator, LargeGang());
  RunFor(nominator, milliseconds(100));
  EXPECT_THAT(transport_.requests, IsEmpty());
  time_.now += seconds(10);
  nominator.OnUpsert(Refused("later"));
  RunFor(nominator, milliseconds(100));
  using testing::StartsWith;
  EXPECT_THAT(record_.written,
              ElementsAre("nomination ml/later v100-1", StartsWith("said ml/train-0 gang train"),
                          StartsWith("said ml/train-1 gang train"),
                          StartsWith("said ml/train-0 gang train")));
}

TEST_F(NominatorTest, AsksWhetherThePodsThatAGangLacksHaveSucceeded) {
  const auto pod_of = [](const std::string& index, const std::string& phase) {
    return R"({"metadata":{"namespace":"ml","name":"train","uid":"u","annotations":{)" + index +
           R"("berth.dev/gang-name":"train","berth.dev/gang-size":"2"},"ownerReferences":[)"
           R"({"apiVersion":"batch/v1","kind":"Job","controller":true,"uid":"job"}]},)"
           R"("spec":{},"status":{"phase":")" +
           phase + R"("}})";
  };
  const auto index = [](const std::string& number) {
    return R"("batch.kubernetes.io/job-completion-index":")" + number + R"(",)";
  };
  transport_.replies.push_back(
      {.status = 200,
       .body = R"({"metadata":{},"items":[)" + pod_of(index("0"), "Succeeded") + ',' +
               pod_of(index("0"), "Failed") + ',' + pod_of(index("1"), "Pending") + "]}"});
  transport_.replies.push_back({.status = 200, .body = R"({"metadata":{},"items":[]})"});
  for (int i = 0; i < 3; ++i) Reply(200);
  Nominator nominator = Make(WithGangs());
  model::Pod pod = OfGang("train-1");
  pod.annotations.emplace(pod.annotations.begin(), "batch.kubernetes.io/job-completion-index", "1");
  Wait(nominator, {pod});
  RunFor(nominator, seconds(12));
  ASSERT_THAT(transport_.requests, SizeIs(5));
  EXPECT_EQ(transport_.requests[0].target, "/api/v1/namespaces/ml/pods?limit=250");
  EXPECT_EQ(transport_.requests[1].target, "/apis/batch/v1/namespaces/ml/jobs?limit=250");
  EXPECT_EQ(transport_.requests[4].target, "/api/v1/namespaces/ml/pods/train-1/status");
  EXPECT_THAT(transport_.requests[4].body, testing::HasSubstr(R"("nominatedNodeName":"v100-1")"));
}

}  // namespace
}  // namespace berth::controller
