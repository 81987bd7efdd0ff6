#include "controller/pod_evictor.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/controller/fixtures.h"
#include "tests/unit/controller/limited_time.h"

namespace berth::controller {
namespace {

using nlohmann::json;
using policies::scheduling::GpuNode;
using policies::scheduling::kNow;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

/// An API server with pods and a Job that retries disruptions. An evicted pod is gone at once.
class EvictorWorld final : public kube::Transport {
 public:
  absl::Status Send(const kube::HttpRequest& request, kube::HttpSink& sink) override {
    std::string body = "{}";
    const int code = Answer(request, body);
    const absl::Status head = sink.OnHead({.status = code, .content_type = "application/json"});
    if (!head.ok()) return head;
    return sink.OnBody(code < 300 ? body
                                  : R"({"message":"Cannot evict pod",)"
                                    R"("details":{"causes":[{"reason":"DisruptionBudget"}]}})");
  }
  void Stop() override {}

  void Add(const std::string& node, const std::string& name, json annotations = json::object()) {
    pods[name] = {{"metadata",
                   {{"namespace", "ml"},
                    {"name", name},
                    {"uid", name + "-uid"},
                    {"creationTimestamp", "2027-01-15T04:00:00Z"},
                    {"annotations", std::move(annotations)},
                    {"ownerReferences", json::array({json{{"apiVersion", "batch/v1"},
                                                          {"kind", "Job"},
                                                          {"name", "train"},
                                                          {"controller", true}}})}}},
                  {"spec",
                   {{"nodeName", node},
                    {"containers",
                     json::array({json{{"resources", {{"limits", {{"nvidia.com/gpu", "1"}}}}}}})}}},
                  {"status", {{"phase", "Running"}}}};
  }

  std::map<std::string, json> pods;
  json job = {
      {"spec",
       {{"backoffLimit", 60},
        {"podFailurePolicy",
         {{"rules", json::array({json{{"action", "Count"},
                                      {"onPodConditions",
                                       json::array({json{{"type", "DisruptionTarget"}}})}}})}}}}}};
  /// Nodes that are well, whatever the snapshot says. All others have all conditions.
  std::set<std::string> well;
  /// A node that becomes well when it is asked whether a pod may be evicted. Empty: none.
  std::string recovers;
  int lists_of_namespaces = 0;
  std::set<std::string> gone_from_lists_of_namespaces;
  /// By name, beside the Job "train".
  std::map<std::string, json> other_jobs;
  /// Pods that a budget protects.
  std::map<std::string, int> refusals;
  std::vector<std::string> evicted;
  std::vector<json> events;
  std::set<std::string> event_names;
  /// Whether an evicted pod goes on for as long as it may, and is not gone at once.
  bool keeps_evicted_pods = false;

 private:
  // The number of that parameter; 0 if there is none.
  static std::size_t NumberIn(const std::string& target, const std::string& parameter) {
    const std::size_t at = target.find(parameter + '=');
    return at == std::string::npos ? 0 : std::stoul(target.substr(at + parameter.size() + 1));
  }

  // Those of the items that the target asks for.
  static json PageOf(const json& items, const std::string& target) {
    const std::size_t first = NumberIn(target, "continue");
    const std::size_t limit = NumberIn(target, "limit");
    const std::size_t end = limit == 0 ? items.size() : std::min(items.size(), first + limit);
    json page;
    page["items"] = json::array();
    for (std::size_t i = first; i < end; ++i) page["items"].push_back(items[i]);
    if (end < items.size()) page["metadata"]["continue"] = std::to_string(end);
    return page;
  }

  int Answer(const kube::HttpRequest& request, std::string& body) {
    const std::string& target = request.target;
    if (target.starts_with("/api/v1/pods?")) {
      json items = json::array();
      for (const auto& [name, pod] : pods) {
        const std::string node = pod["spec"]["nodeName"];
        if (target.ends_with("%3D" + node)) items.push_back(pod);
      }
      body = PageOf(items, target).dump();
      return 200;
    }
    if (target ==
        "/api/v1/namespaces/ml/pods?limit=250"
        "&fieldSelector=status.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed") {
      json items = json::array();
      ++lists_of_namespaces;
      for (const auto& [name, pod] : pods) {
        if (!gone_from_lists_of_namespaces.contains(name)) items.push_back(pod);
      }
      body = json{{"items", items}}.dump();
      return 200;
    }
    if (target == "/apis/batch/v1/namespaces/ml/jobs/train") {
      body = job.dump();
      return 200;
    }
    if (target.starts_with("/api/v1/nodes?")) {
      const std::string node = target.substr(target.rfind("%3D") + 3);
      json conditions = json::array();
      for (const char* type : {"GPUIsLost", "NICLinkDown"}) {
        conditions.push_back({{"type", type}, {"status", well.contains(node) ? "False" : "True"}});
      }
      const json item = {{"metadata", {{"name", node}, {"uid", "u-" + node}}},
                         {"status", {{"conditions", conditions}}}};
      body = json{{"items", json::array({item})}}.dump();
      return 200;
    }
    const std::string jobs = "/apis/batch/v1/namespaces/ml/jobs/";
    if (target.starts_with(jobs)) {
      body = other_jobs.at(target.substr(jobs.size())).dump();
      return 200;
    }
    if (target.ends_with("/events")) {
      events.push_back(json::parse(request.body));
      return event_names.insert(events.back()["metadata"]["name"]).second ? 201 : 409;
    }
    // A pod of a gang says that the eviction has begun.
    if (request.method == kube::HttpMethod::kPatch) return 200;
    const json eviction = json::parse(request.body);
    const std::string name = eviction["metadata"]["name"];
    if (refusals.contains(name)) return refusals[name];
    if (eviction["deleteOptions"].contains("dryRun")) {
      if (!recovers.empty()) well.insert(recovers);
      return 201;
    }
    EXPECT_EQ(eviction["deleteOptions"]["preconditions"]["uid"], name + "-uid");
    evicted.push_back(name);
    if (keeps_evicted_pods) {
      pods[name]["metadata"]["deletionTimestamp"] = "2027-01-15T09:00:00Z";
    } else {
      pods.erase(name);
    }
    return 201;
  }
};

class PodEvictorTest : public testing::Test {
 protected:
  PodEvictorTest() {
    for (int i = 0; i < 40; ++i) SetBroken(NameOf(i), false);
    time_.on_wait = [this] { passed_ = time_.now - start_; };
  }

  static std::string NameOf(int index) { return "gpu-" + std::to_string(index); }

  void SetBroken(const std::string& name, bool broken = true) {
    model::NodeState state = GpuNode(name, "Tesla-V100-SXM2-32GB");
    state.node.uid = "u-" + name;
    snapshot_->UpsertNode(broken ? Broken(state).node : state.node);
  }

  // A node whose network adapter has failed.
  static model::NodeState WithoutNetwork(const std::string& name) {
    model::NodeState state = GpuNode(name, "Tesla-V100-SXM2-32GB");
    state.node.uid = "u-" + name;
    state.node.conditions.push_back(
        {"NICLinkDown", model::ConditionStatus::kTrue, kNow - std::chrono::hours(3), kNow});
    return state;
  }

  // A gang with a pod on a broken node, and a driver whose Job has no retries on another one.
  void AddGangWithDriver() {
    const json gang = {{"berth.dev/gang-name", "run"}, {"berth.dev/gang-size", "2"}};
    api_.Add("gpu-1", "train-0", gang);
    api_.Add("gpu-2", "driver-0", gang);
    api_.pods["driver-0"]["metadata"]["ownerReferences"][0]["name"] = "driver";
    api_.other_jobs["driver"] = {{"spec", {{"backoffLimit", 0}}}};
    SetBroken("gpu-1");
  }

  PodEvictor Make() {
    return {{.rules = {.evict = rules_, .health = health_},
             .checkpoint_annotation = "berth.dev/checkpoint",
             .runtime_annotation = "berth.dev/max-runtime",
             .gang_names = model::GangNames("berth.dev"),
             .may_write = [this] { return leads_; },
             .now = [this] { return kNow + std::chrono::floor<seconds>(passed_) + ahead_; }},
            snapshot_.get(),
            &api_,
            &time_,
            &record_};
  }

  void RunFor(seconds duration) {
    time_.end = time_.now + duration;
    evictor_.Run();
  }

  std::unique_ptr<cluster::Snapshot> snapshot_ = MakeSnapshot();
  EvictorWorld api_;
  LimitedTime time_;
  const kube::Timer::Clock::time_point start_ = time_.now;
  kube::Timer::Clock::duration passed_{0};
  /// By how much the clock of the controller is ahead of that of the API server.
  seconds ahead_{0};
  WriteRecord record_;
  bool leads_ = true;
  std::vector<EvictConfig> rules_ = {
      {.condition = "GPUIsLost", .after = minutes(10), .per_minute = 6, .max_share = 0.1}};
  policies::scheduling::HealthConfig health_;
  PodEvictor evictor_ = Make();
};

TEST_F(PodEvictorTest, EvictsWhatCanGoOnAfterTheTime) {
  api_.Add("gpu-1", "train-0");
  api_.Add("gpu-2", "train-1");
  SetBroken("gpu-1");
  RunFor(minutes(9));
  EXPECT_THAT(api_.evicted, IsEmpty());
  RunFor(minutes(2));
  EXPECT_THAT(api_.evicted, ElementsAre("train-0"));
  EXPECT_THAT(record_.written, ElementsAre("eviction ml/train-0 GPUIsLost on gpu-1"));
}

TEST_F(PodEvictorTest, ANodeThatRecoversKeepsItsPods) {
  api_.Add("gpu-1", "train-0");
  SetBroken("gpu-1");
  RunFor(minutes(9));
  SetBroken("gpu-1", false);
  RunFor(minutes(20));
  EXPECT_THAT(api_.evicted, IsEmpty());
}

// Its watch has stalled, so the snapshot is old.
TEST_F(PodEvictorTest, ANodeThatTheApiServerHasForWellKeepsItsPods) {
  api_.Add("gpu-1", "train-0");
  api_.well.insert("gpu-1");
  SetBroken("gpu-1");
  RunFor(minutes(20));
  EXPECT_THAT(api_.evicted, IsEmpty());
  EXPECT_THAT(record_.written, IsEmpty());
  api_.well.clear();
  RunFor(minutes(1));
  EXPECT_THAT(api_.evicted, ElementsAre("train-0"));
}

TEST_F(PodEvictorTest, TellsOnceWhatStays) {
  api_.job = {{"spec", {{"backoffLimit", 0}}}};
  api_.Add("gpu-1", "train-0");
  SetBroken("gpu-1");
  RunFor(minutes(30));
  ASSERT_THAT(api_.events, SizeIs(1));
  EXPECT_EQ(api_.events[0]["involvedObject"]["name"], "train-0");
  EXPECT_EQ(api_.events[0]["reason"], "NotEvicted");
  EXPECT_THAT(api_.events[0]["message"].get<std::string>(),
              StartsWith("Node gpu-1 is excluded by GPUIsLost. This pod stays there: "));
  EXPECT_THAT(api_.evicted, IsEmpty());
}

// The API server knows the event by its name.
TEST_F(PodEvictorTest, ASecondControllerDoesNotTellAgain) {
  api_.job = {{"spec", {{"backoffLimit", 0}}}};
  api_.Add("gpu-1", "train-0");
  SetBroken("gpu-1");
  RunFor(minutes(12));
  PodEvictor next = Make();
  time_.end = time_.now + minutes(12);
  next.Run();
  EXPECT_THAT(api_.event_names, SizeIs(1));
  EXPECT_THAT(record_.statuses,
              testing::Each(testing::Truly([](const auto& s) { return s.ok(); })));
}

TEST_F(PodEvictorTest, ABudgetIsRespectedAndTriedAgain) {
  api_.Add("gpu-1", "train-0");
  api_.refusals["train-0"] = 429;
  SetBroken("gpu-1");
  RunFor(minutes(20));
  EXPECT_THAT(api_.evicted, IsEmpty());
  EXPECT_THAT(api_.events, SizeIs(1));
  const auto tries = std::ranges::count_if(
      record_.written, [](const auto& each) { return each.starts_with("eviction"); });
  EXPECT_GE(tries, 3);
  EXPECT_LE(tries, 10);
  api_.refusals.clear();
  RunFor(minutes(6));
  EXPECT_THAT(api_.evicted, ElementsAre("train-0"));
}

TEST_F(PodEvictorTest, APodThatABudgetProtectsHoldsUpNoOther) {
  api_.Add("gpu-1", "train-0");
  api_.Add("gpu-1", "train-1");
  api_.refusals["train-0"] = 429;
  SetBroken("gpu-1");
  RunFor(minutes(11));
  EXPECT_THAT(api_.evicted, ElementsAre("train-1"));
}

TEST_F(PodEvictorTest, EvictsNoMoreAMinuteThanConfigured) {
  for (int i = 0; i < 30; ++i) api_.Add("gpu-1", "train-" + std::to_string(i));
  SetBroken("gpu-1");
  RunFor(minutes(10) + seconds(30));
  EXPECT_THAT(api_.evicted, SizeIs(6));
  RunFor(minutes(1));
  EXPECT_THAT(api_.evicted, SizeIs(12));
}

// Together they have more bytes than a page may.
TEST_F(PodEvictorTest, ANodeWithLargePodsIsEmptied) {
  rules_[0].per_minute = 1;
  PodEvictor evictor = Make();
  json notes;
  notes["example.com/notes"] = std::string(std::size_t{3} << 19, 'x');
  for (int i = 0; i < 12; ++i) api_.Add("gpu-1", "train-" + std::to_string(i), notes);
  SetBroken("gpu-1");
  time_.end = time_.now + minutes(10) + seconds(20);
  evictor.Run();
  EXPECT_THAT(api_.evicted, SizeIs(1));
  EXPECT_THAT(record_.statuses,
              testing::Each(testing::Truly([](const auto& s) { return s.ok(); })));
}

// Of annotations, those are kept that are read again, whatever else there is.
TEST_F(PodEvictorTest, APodWithManyAnnotationsMovesByItsCheckpoint) {
  PodEvictor evictor = Make();
  api_.job["spec"].erase("podFailurePolicy");
  json annotations;
  annotations["berth.dev/a"] = std::string(100000, 'x');
  annotations["berth.dev/checkpoint"] = "true";
  api_.Add("gpu-1", "train-0", annotations);
  SetBroken("gpu-1");
  time_.end = time_.now + minutes(10) + seconds(20);
  evictor.Run();
  EXPECT_THAT(api_.evicted, ElementsAre("train-0"));
}

TEST_F(PodEvictorTest, APodThatCannotBeReadHidesNoOthers) {
  PodEvictor evictor = Make();
  api_.Add("gpu-1", "odd");
  api_.pods["odd"]["spec"]["priority"] = "high";
  api_.Add("gpu-1", "train-0");
  SetBroken("gpu-1");
  time_.end = time_.now + minutes(10) + seconds(20);
  evictor.Run();
  EXPECT_THAT(api_.evicted, ElementsAre("train-0"));
}

// A tenth of 40 nodes.
TEST_F(PodEvictorTest, EmptiesNoMoreNodesAtOnceThanConfigured) {
  rules_[0].per_minute = 100;
  PodEvictor evictor = Make();
  for (int i = 0; i < 10; ++i) {
    api_.Add(NameOf(i), "train-" + std::to_string(i));
    SetBroken(NameOf(i));
  }
  time_.end = time_.now + minutes(10) + seconds(20);
  evictor.Run();
  EXPECT_THAT(api_.evicted, SizeIs(4));
  time_.end = time_.now + minutes(5);
  evictor.Run();
  EXPECT_THAT(api_.evicted, SizeIs(10));
}

TEST_F(PodEvictorTest, ALyingDetectorMovesNoPod) {
  for (int i = 0; i < 25; ++i) {
    api_.Add(NameOf(i), "train-" + std::to_string(i));
    SetBroken(NameOf(i));
  }
  RunFor(minutes(60));
  EXPECT_THAT(api_.evicted, IsEmpty());
  EXPECT_THAT(api_.events, IsEmpty());
}

TEST_F(PodEvictorTest, LeavesAloneWhatTheExclusionIsNotAbout) {
  api_.Add("gpu-1", "cpu");
  api_.pods["cpu"]["spec"]["containers"] = json::array();
  api_.Add("gpu-1", "late");
  api_.pods["late"]["metadata"]["creationTimestamp"] = "2027-01-15T08:00:00Z";
  api_.Add("gpu-1", "daemon");
  api_.pods["daemon"]["metadata"]["ownerReferences"][0]["kind"] = "DaemonSet";
  api_.Add("gpu-1", "done");
  api_.pods["done"]["status"]["phase"] = "Succeeded";
  api_.Add("gpu-1", "going");
  api_.pods["going"]["metadata"]["deletionTimestamp"] = "2027-01-15T07:59:00Z";
  SetBroken("gpu-1");
  RunFor(minutes(20));
  EXPECT_THAT(api_.evicted, IsEmpty());
  EXPECT_THAT(api_.events, IsEmpty());
}

// The fault is three hours old. Whoever placed the pod there since does not ask Berth, and would do
// so again after each restart of the controller.
TEST_F(PodEvictorTest, ANewControllerLeavesAloneWhatCameAfterTheFault) {
  api_.Add("gpu-1", "late");
  api_.pods["late"]["metadata"]["creationTimestamp"] = "2027-01-15T06:00:00Z";
  api_.Add("gpu-1", "train-0");
  SetBroken("gpu-1");
  RunFor(minutes(20));
  EXPECT_THAT(api_.evicted, ElementsAre("train-0"));
  EXPECT_THAT(api_.events, IsEmpty());
}

// By its clock the fault began before the pod was created.
TEST_F(PodEvictorTest, AClockThatIsBehindKeepsNoPodThere) {
  ahead_ = -minutes(5);
  RunFor(minutes(10));
  api_.Add("gpu-1", "train-0");
  api_.pods["train-0"]["metadata"]["creationTimestamp"] = "2027-01-15T08:07:00Z";
  SetBroken("gpu-1");
  RunFor(minutes(11));
  EXPECT_THAT(api_.evicted, ElementsAre("train-0"));
}

TEST_F(PodEvictorTest, AClockThatIsAheadEvictsNothingThatCameMuchLater) {
  ahead_ = minutes(5);
  RunFor(minutes(10));
  api_.Add("gpu-1", "late");
  api_.pods["late"]["metadata"]["creationTimestamp"] = "2027-01-15T08:21:00Z";
  SetBroken("gpu-1");
  RunFor(minutes(30));
  EXPECT_THAT(api_.evicted, IsEmpty());
  EXPECT_THAT(api_.events, IsEmpty());
}

// Somebody places it past Berth, within the minutes by which clocks may be wrong.
TEST_F(PodEvictorTest, WhatReplacesAnEvictedPodOnTheNodeStays) {
  rules_[0].after = minutes(1);
  PodEvictor evictor = Make();
  const auto run_for = [&](seconds duration) {
    time_.end = time_.now + duration;
    evictor.Run();
  };
  run_for(minutes(1));
  api_.Add("gpu-1", "train-0");
  SetBroken("gpu-1");
  run_for(minutes(1) + seconds(10));
  EXPECT_THAT(api_.evicted, ElementsAre("train-0"));
  api_.Add("gpu-1", "train-1");
  api_.pods["train-1"]["metadata"]["creationTimestamp"] = "2027-01-15T08:02:10Z";
  run_for(minutes(30));
  EXPECT_THAT(api_.evicted, ElementsAre("train-0"));
  EXPECT_THAT(api_.events, IsEmpty());
}

TEST_F(PodEvictorTest, TheSlowestPodOfANodeGoesFirst) {
  const int seconds_to_end[] = {30, 3600, 30, 600};
  for (int i = 0; i < 4; ++i) {
    const std::string name = "train-" + std::to_string(i);
    api_.Add("gpu-1", name);
    api_.pods[name]["spec"]["terminationGracePeriodSeconds"] = seconds_to_end[i];
  }
  SetBroken("gpu-1");
  RunFor(minutes(11));
  EXPECT_THAT(api_.evicted, ElementsAre("train-1", "train-3", "train-0", "train-2"));
}

// As of a JobSet whose driver may not be made anew.
TEST_F(PodEvictorTest, LeavesAGangAloneOfWhichOneJobHasNoRetries) {
  AddGangWithDriver();
  RunFor(minutes(11));
  EXPECT_THAT(api_.evicted, IsEmpty());
  ASSERT_THAT(api_.events, SizeIs(1));
  EXPECT_THAT(api_.events[0]["message"].get<std::string>(),
              HasSubstr("pod driver-0 of its gang would go with it, and its Job has no retries"));
}

// An adapter that fails before the GPUs do is about other pods, and comes first.
TEST_F(PodEvictorTest, AnEntryThatIsAboutOtherPodsHidesNoOtherOfTheNode) {
  EvictConfig network = rules_[0];
  network.condition = "NICLinkDown";
  rules_.push_back(network);
  health_.conditions = {{.type = "NICLinkDown", .resources = {"rdma/*"}}};
  PodEvictor evictor = Make();
  api_.Add("gpu-1", "train-0");
  const model::NodeState state = WithoutNetwork("gpu-1");
  snapshot_->UpsertNode(state.node);
  time_.end = time_.now + minutes(5);
  evictor.Run();
  snapshot_->UpsertNode(Broken(state).node);
  time_.end = time_.now + minutes(9);
  evictor.Run();
  EXPECT_THAT(api_.evicted, IsEmpty());
  time_.end = time_.now + minutes(2);
  evictor.Run();
  EXPECT_THAT(api_.evicted, ElementsAre("train-0"));
  EXPECT_THAT(record_.written, ElementsAre("eviction ml/train-0 GPUIsLost on gpu-1"));
}

// It ends while others of its node are dealt with, and its Job fails then, or is done.
TEST_F(PodEvictorTest, LeavesAGangAloneWhosePodOnTheNodeHasEndedMeanwhile) {
  const json gang = {{"berth.dev/gang-name", "run"}, {"berth.dev/gang-size", "2"}};
  api_.Add("gpu-1", "train-0", gang);
  api_.Add("gpu-2", "train-1", gang);
  api_.gone_from_lists_of_namespaces.insert("train-0");
  SetBroken("gpu-1");
  RunFor(minutes(11));
  EXPECT_THAT(api_.evicted, IsEmpty());
}

TEST_F(PodEvictorTest, LeavesAGangAloneWhoseNodeRecoversWhileItAsksForEachPod) {
  const json gang = {{"berth.dev/gang-name", "run"}, {"berth.dev/gang-size", "2"}};
  api_.Add("gpu-1", "train-0", gang);
  api_.Add("gpu-2", "train-1", gang);
  api_.recovers = "gpu-1";
  SetBroken("gpu-1");
  RunFor(minutes(20));
  EXPECT_THAT(api_.evicted, IsEmpty());
}

TEST_F(PodEvictorTest, SaysOfAGangWhatIsWrongWithThePodItself) {
  api_.job = {{"spec", {{"backoffLimit", 0}}}};
  const json gang = {{"berth.dev/gang-name", "run"}, {"berth.dev/gang-size", "2"}};
  api_.Add("gpu-1", "train-1", gang);
  api_.Add("gpu-2", "train-0", gang);
  SetBroken("gpu-1");
  RunFor(minutes(30));
  ASSERT_THAT(api_.events, SizeIs(1));
  EXPECT_THAT(api_.events[0]["message"].get<std::string>(), Not(HasSubstr("of its gang")));
  // Once its own advice is that it stays, nobody else is asked about.
  EXPECT_EQ(api_.lists_of_namespaces, 0);
}

TEST_F(PodEvictorTest, AsksSeldomAboutAGangThatStays) {
  AddGangWithDriver();
  RunFor(minutes(70));
  EXPECT_THAT(api_.lists_of_namespaces, testing::AllOf(testing::Gt(5), testing::Lt(30)));
}

// Each pod of it is on the node, and each look costs one list of their namespace.
TEST_F(PodEvictorTest, AsksOnceALookAboutAGangThatWaits) {
  api_.job["spec"]["backoffLimit"] = 8;
  api_.job["status"] = {{"terminating", 1}};
  for (int i = 0; i < 8; ++i) {
    api_.Add("gpu-1", "train-" + std::to_string(i),
             {{"berth.dev/gang-name", "run"}, {"berth.dev/gang-size", "8"}});
  }
  SetBroken("gpu-1");
  RunFor(minutes(11));
  EXPECT_THAT(api_.evicted, IsEmpty());
  EXPECT_THAT(api_.lists_of_namespaces, testing::AllOf(testing::Gt(3), testing::Lt(9)));
  api_.job["status"] = {{"terminating", 0}};
  RunFor(minutes(11));
  EXPECT_THAT(api_.evicted, SizeIs(8));
}

TEST_F(PodEvictorTest, EvictsAGangAsAWhole) {
  const json gang = {{"berth.dev/gang-name", "run"}, {"berth.dev/gang-size", "2"}};
  api_.Add("gpu-1", "train-0", gang);
  api_.Add("gpu-2", "train-1", gang);
  SetBroken("gpu-1");
  RunFor(minutes(11));
  EXPECT_THAT(api_.evicted, testing::UnorderedElementsAre("train-0", "train-1"));
}

TEST_F(PodEvictorTest, OnlyTheLeaderEvictsAndOthersKnowTheTime) {
  api_.Add("gpu-1", "train-0");
  SetBroken("gpu-1");
  leads_ = false;
  RunFor(minutes(20));
  EXPECT_THAT(api_.evicted, IsEmpty());
  leads_ = true;
  RunFor(seconds(3));
  EXPECT_THAT(api_.evicted, ElementsAre("train-0"));
}

TEST_F(PodEvictorTest, AJobIsNotMadeToFailByManyEvictions) {
  api_.job["spec"]["backoffLimit"] = 3;
  api_.job["status"] = {{"failed", 1}, {"terminating", 2}};
  api_.Add("gpu-1", "train-0");
  SetBroken("gpu-1");
  RunFor(minutes(12));
  EXPECT_THAT(api_.evicted, IsEmpty());
  EXPECT_THAT(api_.events, IsEmpty());
  api_.job["status"] = {{"failed", 2}, {"terminating", 0}};
  RunFor(minutes(1));
  EXPECT_THAT(api_.evicted, ElementsAre("train-0"));
}

// The Job controller takes a second and more to count a pod that was evicted.
TEST_F(PodEvictorTest, AJobIsNotMadeToFailByEvictionsThatItsStatusDoesNotShowYet) {
  api_.job["spec"]["backoffLimit"] = 1;
  api_.Add("gpu-1", "train-0");
  api_.Add("gpu-1", "train-1");
  SetBroken("gpu-1");
  RunFor(minutes(10) + seconds(20));
  EXPECT_THAT(api_.evicted, ElementsAre("train-0"));
  api_.job["status"] = {{"failed", 1}};
  RunFor(minutes(2));
  EXPECT_THAT(api_.evicted, ElementsAre("train-0"));
  ASSERT_THAT(api_.events, SizeIs(1));
  EXPECT_THAT(api_.events[0]["message"].get<std::string>(), HasSubstr("no retries left"));
}

TEST_F(PodEvictorTest, OtherEvictionsOfAJobThatHasRetriesGoOn) {
  api_.job["spec"]["backoffLimit"] = 2;
  api_.Add("gpu-1", "train-0");
  api_.Add("gpu-1", "train-1");
  SetBroken("gpu-1");
  RunFor(minutes(10) + seconds(20));
  EXPECT_THAT(api_.evicted, ElementsAre("train-0", "train-1"));
}

// Another condition's rule has evictions left meanwhile.
TEST_F(PodEvictorTest, ANodeWhosePodsAreEndingKeepsItsPlaceWhenTheMinuteIsUsedUp) {
  rules_[0].max_share = 0.025;  // one node of 40
  rules_[0].per_minute = 2;
  EvictConfig network = rules_[0];
  network.condition = "NICLinkDown";
  network.after = minutes(10) + seconds(10);
  rules_.push_back(network);
  health_.conditions = {{.type = "NICLinkDown"}};
  PodEvictor evictor = Make();
  api_.keeps_evicted_pods = true;
  api_.Add("gpu-1", "train-0");
  api_.Add("gpu-1", "train-1");
  SetBroken("gpu-1");
  api_.Add("gpu-2", "train-2");
  snapshot_->UpsertNode(WithoutNetwork("gpu-2").node);
  time_.end = time_.now + minutes(14);
  evictor.Run();
  EXPECT_THAT(api_.evicted, testing::UnorderedElementsAre("train-0", "train-1"));
  for (const char* pod : {"train-0", "train-1"}) api_.pods.erase(pod);
  time_.end = time_.now + minutes(1);
  evictor.Run();
  EXPECT_THAT(api_.evicted, Contains("train-2"));
}

}  // namespace
}  // namespace berth::controller
