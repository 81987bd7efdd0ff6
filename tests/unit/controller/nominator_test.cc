#include "controller/nominator.h"

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kube/api_reply.h"
#include "model/gang.h"
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
constexpr char kRefused[] = "0/100 nodes are available: 100 node(s) had accelerator A30.";

// What policies/fit wants of a node, in a snapshot that keeps it.
model::NodeState Roomy(const std::string& name) {
  model::NodeState state = GpuNode(name, kV100);
  state.node.allocatable.Set("pods", 110);
  return state;
}

std::unique_ptr<cluster::Snapshot> WholeSnapshot() {
  auto snapshot = std::make_unique<cluster::Snapshot>(
      cluster::Snapshot::Options{.catalog = policies::scheduling::Catalog(),
                                 .labels = {},
                                 .whole_pods = true,
                                 .gang_prefix = "berth.dev"});
  snapshot->UpsertNode(Roomy("v100-1").node);
  return snapshot;
}

class NominatorTest : public ::testing::Test {
 protected:
  NominatorTest() {
    List(cluster::Kind::kNodes);
    List(cluster::Kind::kPods);
  }

  void List(cluster::Kind kind) {
    snapshot_->BeginReplace(kind);
    if (kind == cluster::Kind::kNodes) snapshot_->UpsertNode(Roomy("v100-1").node);
    snapshot_->EndReplace(kind);
  }

  static model::Pod Refused(const std::string& name = "train") {
    model::Pod pod = PodOn("", name);
    pod.scheduler = "berth";
    pod.unschedulable = kRefused;
    return pod;
  }

  static void Wait(Nominator& nominator, const std::vector<model::Pod>& pods) {
    nominator.OnReplaceBegin();
    for (const model::Pod& pod : pods) nominator.OnUpsert(pod);
    nominator.OnReplaceEnd("10");
  }
  void Wait(const std::vector<model::Pod>& pods) { Wait(nominator_, pods); }

  void Reply(int status) { transport_.replies.push_back({.status = status, .body = "{}"}); }

  void RunFor(milliseconds duration) { RunFor(nominator_, duration); }
  void RunFor(Nominator& nominator, milliseconds duration) {
    time_.end = time_.now + duration;
    time_.on_wait = [this, &nominator] { nominator.WriteQueued(&patcher_); };
    nominator.Run();
  }

  Nominator MakeWithGroups(planner::PlannerConfig config, const PodGroupReader::Known* known) {
    return Make(std::move(config), {},
                [known]() -> const PodGroupReader::Known& { return *known; });
  }
  Nominator Make(planner::PlannerConfig config, std::function<SchedulerTerm()> term = {},
                 std::function<const PodGroupReader::Known&()> groups = {}) {
    return {
        {.planner = std::move(config),
         .annotation = "berth.dev/plan",
         .purpose_annotation = "berth.dev/plan-for",
         .lease_annotation = "berth.dev/plan-lease",
         .may_write = [this] { return leads_; },
         .scheduler_term = std::move(term),
         .pod_groups = std::move(groups),
         .gang_feed = &gang_feed_,
         .kept_rooms = &kept_rooms_,
         .now = [] { return policies::scheduling::kNow; }},
        std::make_shared<const policies::scheduling::SchedulingEngine>(
            policies::scheduling::Catalog(), "berth.dev", policies::scheduling::SchedulingConfig{}),
        snapshot_.get(),
        &time_,
        &record_,
        &planner_metrics_};
  }

  std::unique_ptr<cluster::Snapshot> snapshot_ = WholeSnapshot();
  kube::ScriptedTransport transport_;
  Patcher patcher_{&transport_};
  LimitedTime time_;
  WriteRecord record_;
  server::Metrics metrics_;
  PlannerMetrics planner_metrics_{metrics_};
  GangFeed gang_feed_;
  KeptRooms kept_rooms_;
  bool leads_ = true;
  Nominator nominator_ = Make({});
};

TEST_F(NominatorTest, NominatesANodeForThatVeryPod) {
  Reply(200);
  Wait({Refused()});
  RunFor(milliseconds(100));
  ASSERT_THAT(transport_.requests, SizeIs(1));
  EXPECT_EQ(transport_.requests[0].method, kube::HttpMethod::kPatch);
  EXPECT_EQ(transport_.requests[0].target, "/api/v1/namespaces/ml/pods/train/status");
  EXPECT_EQ(transport_.requests[0].body, R"({"metadata":{"annotations":{"berth.dev/plan":"v100-1",)"
                                         R"("berth.dev/plan-for":"rescue"},"uid":"train-uid"},)"
                                         R"("status":{"nominatedNodeName":"v100-1"}})");
  EXPECT_THAT(record_.written, ElementsAre("nomination ml/train v100-1"));
  EXPECT_THAT(metrics_.Exposition(),
              testing::HasSubstr("berth_planner_nominations_total{outcome=\"written\"} 1"));
}

TEST_F(NominatorTest, WithdrawsWhatFitsNoLonger) {
  Reply(200);
  Reply(200);
  model::Pod pod = Refused();
  Wait({pod});
  RunFor(milliseconds(100));
  pod.nominated_node = "v100-1";
  pod.annotations = {{"berth.dev/plan", "v100-1"}};
  nominator_.OnUpsert(pod);
  snapshot_->UpsertNode(Broken(Roomy("v100-1")).node);
  RunFor(milliseconds(100));
  ASSERT_THAT(transport_.requests, SizeIs(2));
  EXPECT_EQ(transport_.requests[1].body,
            R"({"metadata":{"annotations":{"berth.dev/plan":null,"berth.dev/plan-for":null},)"
            R"("uid":"train-uid"},)"
            R"("status":{"nominatedNodeName":null}})");
}

TEST_F(NominatorTest, MeasuresHowLongAPodHasWaitedForANominationAndForANode) {
  Reply(200);
  model::Pod pod = Refused();
  pod.created = policies::scheduling::kNow - seconds(30);
  Wait({pod});
  RunFor(milliseconds(100));
  EXPECT_THAT(metrics_.Exposition(),
              testing::HasSubstr("berth_planner_nomination_delay_seconds_sum 30\n"));
  EXPECT_THAT(metrics_.Exposition(),
              testing::HasSubstr("berth_planner_binding_delay_seconds_count 0\n"));
  pod.nominated_node = "v100-1";
  pod.annotations = {{"berth.dev/plan", "v100-1"}};
  nominator_.OnUpsert(pod);
  pod.node_name = "v100-1";
  snapshot_->UpsertPod(pod);
  nominator_.OnDelete(pod);  // for those who watch pods without a node
  RunFor(milliseconds(100));
  EXPECT_THAT(metrics_.Exposition(),
              testing::HasSubstr("berth_planner_binding_delay_seconds_sum 30\n"));
  EXPECT_THAT(metrics_.Exposition(),
              testing::HasSubstr("berth_planner_nominations_total{outcome=\"bound\"} 1\n"));
}

TEST_F(NominatorTest, CountsByNeedThePodsThatItLeavesToKubeScheduler) {
  model::Pod with_volume = Refused("volume");
  with_volume.attached_volumes = true;
  model::Pod with_claim = Refused("claim");
  with_claim.scored.claims = true;
  model::Pod large = Refused("large");
  large.tolerations.assign(95'000, {.op = "Exists"});
  Wait({with_volume, with_claim, large});
  RunFor(milliseconds(100));
  const std::string text = metrics_.Exposition();
  EXPECT_THAT(text, testing::HasSubstr("berth_planner_pods{state=\"left_to_scan\"} 3\n"));
  EXPECT_THAT(text, testing::HasSubstr("berth_planner_left_to_scan{need=\"volumes\"} 1\n"));
  EXPECT_THAT(text, testing::HasSubstr("berth_planner_left_to_scan{need=\"claims\"} 1\n"));
  EXPECT_THAT(text, testing::HasSubstr("berth_planner_left_to_scan{need=\"too_large\"} 1\n"));
}

TEST_F(NominatorTest, ACandidateDoesNotWrite) {
  Reply(200);
  leads_ = false;
  Wait({Refused()});
  RunFor(seconds(2));
  EXPECT_THAT(transport_.requests, IsEmpty());
  leads_ = true;  // the other one has just died
  RunFor(milliseconds(100));
  EXPECT_THAT(transport_.requests, SizeIs(1));
}

TEST_F(NominatorTest, WaitsForTheList) {
  nominator_.OnReplaceBegin();
  nominator_.OnUpsert(Refused());
  RunFor(seconds(2));
  EXPECT_THAT(transport_.requests, IsEmpty()) << "a pod that is not listed may be nominated";
}

TEST_F(NominatorTest, TriesAFailedWriteAgainAfterASecond) {
  Reply(500);
  Reply(200);
  Wait({Refused()});
  RunFor(milliseconds(900));
  EXPECT_THAT(transport_.requests, SizeIs(1));
  RunFor(milliseconds(1200));
  EXPECT_THAT(transport_.requests, SizeIs(2));
  EXPECT_THAT(metrics_.Exposition(),
              testing::HasSubstr("berth_planner_nominations_total{outcome=\"failed\"} 1"));
}

TEST_F(NominatorTest, WritesNothingForPodsThatAreGone) {
  Wait({Refused()});
  nominator_.OnDelete(Refused());
  RunFor(seconds(2));
  EXPECT_THAT(transport_.requests, IsEmpty());
}

// What cannot be read was refused a moment ago, and waits on.
TEST_F(NominatorTest, APodThatCannotBeReadWaitsOn) {
  Reply(200);
  Wait({Refused()});
  nominator_.OnReplaceBegin();
  nominator_.OnUnreadable(
      {.kind = "Pod", .namespace_ = "ml", .name = "train", .uid = "train-uid", .error = ""});
  nominator_.OnReplaceEnd("11");
  RunFor(milliseconds(100));
  EXPECT_THAT(transport_.requests, SizeIs(1));
}

TEST_F(NominatorTest, APodIsGoneIfAnUnreadableOneHasItsName) {
  model::Pod pod = Refused();
  pod.unschedulable.clear();
  Wait({pod});
  RunFor(milliseconds(100));
  nominator_.OnUnreadable(
      {.kind = "Pod", .namespace_ = "ml", .name = pod.name, .uid = "another-uid", .error = ""});
  RunFor(milliseconds(100));
  EXPECT_THAT(metrics_.Exposition(), testing::HasSubstr("berth_planner_pods{state=\"head\"} 0"));
}

TEST_F(NominatorTest, TheGaugesFallWhenThePodsAreGone) {
  model::Pod pod = Refused();
  pod.unschedulable.clear();
  Wait({pod});
  RunFor(milliseconds(100));
  EXPECT_THAT(metrics_.Exposition(), testing::HasSubstr("berth_planner_pods{state=\"head\"} 1"));
  nominator_.OnDelete(pod);
  RunFor(milliseconds(100));
  EXPECT_THAT(metrics_.Exposition(), testing::HasSubstr("berth_planner_pods{state=\"head\"} 0"));
}

TEST_F(NominatorTest, TheGaugesFallWhenItIsSwitchedOff) {
  model::Pod pod = Refused();
  pod.unschedulable.clear();
  Wait({pod});
  RunFor(milliseconds(100));
  Make({.schedulers = {}}).Run();
  EXPECT_THAT(metrics_.Exposition(), testing::HasSubstr("berth_planner_pods{state=\"head\"} 0"));
}

TEST_F(NominatorTest, IsOffWithoutSchedulers) {
  Nominator off = Make({.schedulers = {}});
  Wait(off, {Refused()});
  off.Run();
  EXPECT_THAT(transport_.requests, IsEmpty());
}

model::Pod OfGang(const std::string& name) {
  model::Pod pod = PodOn("", name);
  pod.scheduler = "berth";
  pod.annotations = {{"berth.dev/gang-name", "train"}, {"berth.dev/gang-size", "2"}};
  pod.gates = {"berth.dev/gang"};
  pod.gated = true;
  return pod;
}

// The same pod if it waits for a PodGroup instead of a gate.
model::Pod InGroup(model::Pod pod) {
  pod.gates.clear();
  pod.gated = false;
  pod.scheduling_group = "berth-train";
  return pod;
}

planner::PlannerConfig WithGangs() {
  planner::PlannerConfig config;
  config.gangs.enabled = true;
  return config;
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

// Its Job waits for minutes before it makes evicted pods anew.
TEST_F(NominatorTest, GoesOnWithAnEvictionThatHasEndedHalfWayThoughNoPodWaits) {
  model::Pod pod = OfGang("train-0");
  pod.node_name = "v100-1";
  pod.annotations.emplace_back("berth.dev/gang-eviction",
                               model::GangEvictionText({policies::scheduling::kNow, 2}));
  model::Normalize(pod.annotations);
  Nominator nominator = Make(WithGangs());
  Wait(nominator, {});
  RunFor(nominator, seconds(1));
  snapshot_->UpsertPod(pod);
  RunFor(nominator, planner::Gangs::kEvictAgain - seconds(1));
  EXPECT_THAT(transport_.requests, IsEmpty());
  RunFor(nominator, seconds(2));
  ASSERT_THAT(transport_.requests, SizeIs(1));
  EXPECT_THAT(transport_.requests[0].target,
              testing::StartsWith("/api/v1/namespaces/" + pod.namespace_ + "/pods?"));
}

/// Bound pods of gangs whose evictions have ended half-way, in the snapshot and as they are listed.
class HalfEvictedGangs : public NominatorTest {
 protected:
  // `more` of its spec, as in R"(,"name":"value")".
  void Add(const std::string& name, const std::string& gang, const std::string& more = "") {
    const std::string says = model::GangEvictionText({policies::scheduling::kNow, 2});
    model::Pod pod = OfGang(name);
    pod.namespace_ = namespace_;
    pod.node_name = "v100-1";
    pod.annotations = {{"berth.dev/gang-eviction", says},
                       {"berth.dev/gang-name", gang},
                       {"berth.dev/gang-size", "2"}};
    snapshot_->UpsertPod(pod);
    items_ += std::string(items_.empty() ? "" : ",") + R"({"metadata":{"namespace":")" +
              namespace_ + R"(","name":")" + name + R"(","uid":")" + pod.uid +
              R"(","creationTimestamp":"2020-01-01T00:00:00Z","annotations":{)" +
              R"("berth.dev/gang-eviction":")" + says + R"(","berth.dev/gang-name":")" + gang +
              R"(","berth.dev/gang-size":"2"}},"spec":{"nodeName":"v100-1")" + more + "}}";
  }
  // The next list has the pods that were added since the last one. The server does not speak
  // protobuf, and does not say whether there are budgets.
  void List() {
    Reply(406);
    transport_.replies.push_back({.body = R"({"metadata":{},"items":[)" + items_ + "]}"});
    Reply(403);
    items_.clear();
  }
  // What was asked for: "list ml", and "train-0" where a pod was evicted.
  std::vector<std::string> Asked() const {
    std::vector<std::string> asked;
    for (const kube::HttpRequest& request : transport_.requests) {
      if (request.target.starts_with("/apis/policy/")) continue;
      const std::string in = request.target.substr(std::string("/api/v1/namespaces/").size());
      const bool lists = in.find("/pods?") != std::string::npos;
      if (lists && request.accept == kube::kProtobufType) continue;
      const std::string pod = lists ? "" : in.substr(in.find("/pods/") + 6);
      asked.push_back(lists ? "list " + in.substr(0, in.find('/')) : pod.substr(0, pod.find('/')));
    }
    return asked;
  }
  void Plan() {
    Nominator nominator = Make(WithGangs());
    Wait(nominator, {});
    RunFor(nominator, seconds(1));
  }

  std::string namespace_ = "ml";
  std::string items_;
};

TEST_F(HalfEvictedGangs, OfOneNamespaceShareAList) {
  for (const char* gang : {"a", "b", "c"}) Add(gang + std::string("-0"), gang);
  List();
  for (int i = 0; i < 3; ++i) Reply(201);
  namespace_ = "other";
  Add("d-0", "d");
  List();
  Reply(201);
  Plan();
  EXPECT_THAT(Asked(), ElementsAre("list ml", "a-0", "b-0", "c-0", "list other", "d-0"));
}

TEST_F(HalfEvictedGangs, GoOnWithoutOneThatCannotBeRead) {
  Add("a-0", "a", R"(,"priority":"high")");
  Add("b-0", "b");
  List();
  Reply(201);
  Plan();
  EXPECT_THAT(Asked(), ElementsAre("list ml", "b-0"));
}

TEST_F(HalfEvictedGangs, AreTriedAgainIfTheyCannotBeListed) {
  for (const char* gang : {"a", "b"}) Add(gang + std::string("-0"), gang);
  Reply(500);
  Nominator nominator = Make(WithGangs());
  Wait(nominator, {});
  RunFor(nominator, planner::Gangs::kEvictAgain - seconds(1));
  EXPECT_THAT(transport_.requests, SizeIs(1));
  List();
  for (int i = 0; i < 2; ++i) Reply(201);
  RunFor(nominator, seconds(2));
  EXPECT_THAT(Asked(), ElementsAre("list ml", "a-0", "b-0"));
}

/// An API server with some pods of a gang. It answers an eviction when there is another one, or
/// nobody else could ask for one.
class SlowEvictions final : public kube::Transport {
 public:
  explicit SlowEvictions(std::string pods) : pods_(std::move(pods)) {}

  absl::Status Send(const kube::HttpRequest& request, kube::HttpSink& sink) override {
    const bool evicts = request.target.ends_with("/eviction");
    if (evicts) Evict(request.target);
    const absl::Status head =
        sink.OnHead({.status = evicts ? 201 : 200, .content_type = "application/json"});
    return head.ok() ? sink.OnBody(evicts ? "{}" : pods_) : head;
  }
  void Stop() override {}

  std::vector<std::string> AwaitEvicted(std::size_t pods) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, seconds(10), [&] { return evicted_.size() == pods; });
    return evicted_;
  }
  std::size_t most_at_once() {
    const std::lock_guard lock(mutex_);
    return most_;
  }

 private:
  void Evict(const std::string& target) {
    std::unique_lock lock(mutex_);
    most_ = std::max(most_, ++now_);
    changed_.notify_all();
    const bool is_last = target.find("train-last") != std::string::npos;
    if (!is_last) changed_.wait_for(lock, seconds(10), [this] { return most_ > 1; });
    --now_;
    evicted_.push_back(target.substr(target.find("train-")));
    changed_.notify_all();
  }

  const std::string pods_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t now_ = 0;
  std::size_t most_ = 0;
  std::vector<std::string> evicted_;
};

TEST_F(NominatorTest, SeveralWritersEvictGangs) {
  const std::string says = model::GangEvictionText({policies::scheduling::kNow, 4});
  std::string pods;
  for (const std::string gang : {"train", "other"}) {
    model::Pod last = OfGang("train-last-of-" + gang);
    last.node_name = "v100-1";
    last.annotations = {{"berth.dev/gang-eviction", says},
                        {"berth.dev/gang-name", gang},
                        {"berth.dev/gang-size", "4"}};
    snapshot_->UpsertPod(last);
    for (const std::string& name : {"train-0-of-" + gang, "train-1-of-" + gang, last.name}) {
      const std::string eviction =
          name == last.name ? R"(,"berth.dev/gang-eviction":")" + says + '"' : "";
      pods += std::string(pods.empty() ? "" : ",") + R"({"metadata":{"namespace":")" +
              last.namespace_ + R"(","name":")" + name + R"(","uid":")" + name +
              R"(","creationTimestamp":"2020-01-01T00:00:00Z","annotations":{)" +
              R"("berth.dev/gang-name":")" + gang + R"(","berth.dev/gang-size":"4")" + eviction +
              R"(}},"spec":{"nodeName":"v100-1"},"status":{"phase":"Running"}})";
    }
  }
  SlowEvictions server(R"({"metadata":{},"items":[)" + pods + "]}");
  Nominator nominator = Make(WithGangs());
  Wait(nominator, {});
  std::vector<Patcher> patchers(3, Patcher(&server));
  std::vector<std::thread> writers;
  for (Patcher& patcher : patchers) {
    writers.emplace_back([&nominator, &patcher] { nominator.RunWriter(&patcher); });
  }
  time_.end = time_.now + seconds(1);
  nominator.Run();
  const std::vector<std::string> evicted = server.AwaitEvicted(6);
  nominator.Stop();
  for (std::thread& writer : writers) writer.join();
  ASSERT_THAT(evicted, SizeIs(6));
  for (const std::string gang : {"train", "other"}) {
    std::vector<std::string> order;
    for (const std::string& pod : evicted) {
      if (pod.ends_with(gang + "/eviction")) order.push_back(pod);
    }
    ASSERT_THAT(order, SizeIs(3)) << gang;
    EXPECT_EQ(order.back(), "train-last-of-" + gang + "/eviction");
  }
  EXPECT_GT(server.most_at_once(), 1U);
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

// All pods of a gang for which there is no room.
std::vector<model::Pod> LargeGang() {
  std::vector<model::Pod> pods = {OfGang("train-0"), OfGang("train-1")};
  for (model::Pod& pod : pods) pod.requests.Set(policies::scheduling::kGpu, 8);
  return pods;
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

/// Grants everything, and does something else in the middle of the first request.
class BusyTransport final : public kube::Transport {
 public:
  absl::Status Send(const kube::HttpRequest& request, kube::HttpSink& sink) override {
    requests.push_back(request);
    if (meanwhile) std::exchange(meanwhile, nullptr)();
    const absl::Status status = sink.OnHead({.status = 200, .content_type = "application/json"});
    return status.ok() ? sink.OnBody("{}") : status;
  }
  void Stop() override {}

  std::function<void()> meanwhile;
  std::vector<kube::HttpRequest> requests;
};

class TwoWriters : public NominatorTest {
 protected:
  // One writes what is told of a gang that has no room, and what else is planned. The other
  // one writes what it can in the middle of the first request of the first one.
  void Write() {
    Nominator nominator = Make(WithGangs());
    Wait(nominator, LargeGang());
    time_.end = time_.now + seconds(12);
    nominator.Run();
    Patcher patcher(&busy_);
    busy_.meanwhile = [&] { nominator.WriteQueued(&patcher_); };
    nominator.WriteQueued(&patcher);
  }

  BusyTransport busy_;
};

// Otherwise why a gang waits might be written after that it waits no longer.
TEST_F(TwoWriters, LetNothingThatIsToldOvertakeWhatWasToldBefore) {
  Write();
  EXPECT_THAT(transport_.requests, IsEmpty());
  EXPECT_THAT(busy_.requests, SizeIs(3));
}

// Of a large gang it would take the API server as long as an eviction.
TEST_F(TwoWriters, TellLittleWhileOneEvicts) {
  model::Pod pod = OfGang("other-0");
  pod.node_name = "v100-1";
  pod.annotations = {
      {"berth.dev/gang-eviction", model::GangEvictionText({policies::scheduling::kNow, 2})},
      {"berth.dev/gang-name", "other"},
      {"berth.dev/gang-size", "2"}};
  snapshot_->UpsertPod(pod);
  for (int i = 0; i < 3; ++i) Reply(200);
  Write();
  ASSERT_THAT(transport_.requests, SizeIs(1));
  EXPECT_THAT(transport_.requests[0].body, testing::HasSubstr("train"));
  EXPECT_THAT(busy_.requests.front().target, testing::StartsWith("/api/v1/namespaces/ml/pods?"))
      << "the other one writes while the pods of the gang that is evicted are listed";
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
