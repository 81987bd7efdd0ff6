#include "checks/runner.h"

#include <map>
#include <nlohmann/json.hpp>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/metrics.h"
#include "tests/unit/checks/fixture.h"

namespace berth::checks {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

constexpr char kPods[] = "/api/v1/namespaces/berth-system/pods";

/// Time that passes only while somebody waits, until a given moment.
class TestTime final : public kube::Timer {
 public:
  Clock::time_point Now() const override { return now; }
  bool Wait(milliseconds duration) override {
    now += duration;
    return now < end;
  }
  void Stop() override { end = now; }

  Clock::time_point now{seconds(1000)};
  Clock::time_point end = now;
};

/// An API server with one node or more, and the pods of checks. A pod that is deleted is gone.
class World final : public kube::Transport {
 public:
  absl::Status Send(const kube::HttpRequest& request, kube::HttpSink& sink) override {
    const std::string what = std::string(kube::NameOf(request.method)) + " " + request.target;
    requests.push_back(what);
    const auto refusal = refusals.find(what);
    std::string body = R"({"message":"no"})";
    const int code = refusal != refusals.end() ? refusal->second : Answer(request, body);
    const absl::Status head = sink.OnHead({.status = code, .content_type = "application/json"});
    if (!head.ok()) return head;
    return sink.OnBody(body);
  }
  void Stop() override {}

  /// The requests that are no GET since the last call.
  std::vector<std::string> TakeWrites() {
    std::vector<std::string> writes;
    for (const std::string& each : requests) {
      if (!each.starts_with("GET ")) writes.push_back(each);
    }
    requests.clear();
    return writes;
  }

  json node = {{"metadata", {{"name", "gpu-1"}, {"uid", "gpu-1-uid"}, {"resourceVersion", "7"}}},
               {"status", {{"conditions", json::array()}}}};
  std::vector<json> other_nodes;
  std::map<std::string, json> pods;
  bool lists_pods = true;
  std::map<std::string, int> refusals;
  std::vector<std::string> requests;
  std::vector<json> patches;

 private:
  int Answer(const kube::HttpRequest& request, std::string& body) {
    if (request.method == kube::HttpMethod::kPost) return Create(request, body);
    if (request.method == kube::HttpMethod::kDelete) {
      return pods.erase(request.target.substr(sizeof(kPods))) == 1 ? 200 : 404;
    }
    if (request.method == kube::HttpMethod::kPatch) {
      patches.push_back(json::parse(request.body));
      if (request.target.starts_with("/api/v1/nodes/gpu-1/")) {
        node["status"]["conditions"] = patches.back()["status"]["conditions"];
      }
      return 200;
    }
    json items = json::array();
    if (request.target.starts_with("/api/v1/nodes")) {
      items.push_back(node);
      for (const json& other : other_nodes) items.push_back(other);
    } else if (!lists_pods) {
      return 500;
    } else {
      for (const auto& [name, pod] : pods) items.push_back(pod);
    }
    body = json{{"metadata", json::object()}, {"items", items}}.dump();
    return 200;
  }

  int Create(const kube::HttpRequest& request, std::string& body) {
    json pod = json::parse(request.body);
    const std::string name = pod["metadata"]["name"];
    if (pods.contains(name)) return 409;
    pod["metadata"]["uid"] = "pod-uid";
    pod["metadata"]["creationTimestamp"] = "2027-01-15T08:00:00Z";
    pods[name] = pod;
    body = pod.dump();
    return 201;
  }
};

class RunnerTest : public ::testing::Test {
 protected:
  RunnerTest() {
    for (const auto kind : {cluster::Kind::kNodes, cluster::Kind::kPods}) {
      snapshot_.BeginReplace(kind);
      snapshot_.EndReplace(kind);
    }
    snapshot_.UpsertNode(IdleNode("gpu-1").node);
  }

  void RunFor(milliseconds duration) {
    time_.end = time_.now + duration;
    runner_.Run();
  }

  // The pod of the check that was begun, with that status.
  void SetStatus(const std::string& status) {
    ASSERT_THAT(world_.pods, SizeIs(1));
    world_.pods.begin()->second["status"] = json::parse(status);
  }
  void Fail() {
    SetStatus(R"({"phase": "Failed", "containerStatuses": [
        {"name": "check", "state": {"terminated": {"exitCode": 3, "reason": "Error"}}}]})");
  }

  // How many checks have had the result.
  double Count(const std::string& result) {
    const std::string line =
        "berth_active_checks_total{check=\"vector-add\",result=\"" + result + "\"} ";
    const std::string text = metrics_.Exposition();
    const auto at = text.find(line);
    return at == std::string::npos ? -1 : std::stod(text.substr(at + line.size()));
  }

  World world_;
  TestTime time_;
  bool leads_ = true;
  model::Time now_ = kNow;  // the pods are created at kNow by the clock of the API server
  server::Metrics metrics_;
  Metrics check_metrics_{metrics_};
  cluster::Snapshot snapshot_{
      {.catalog = policies::scheduling::Catalog(), .node_uids = true, .whole_pods = true}};
  Runner runner_{{.checks = {VectorAdd()},
                  .names = kNames,
                  .owner = [] { return std::nullopt; },
                  .may_write = [this] { return leads_; },
                  .now = [this] { return now_; }},
                 Engine(),
                 &snapshot_,
                 &world_,
                 &time_,
                 &check_metrics_};
};

TEST_F(RunnerTest, BeginsACheckOnAnIdleNode) {
  RunFor(seconds(3));
  EXPECT_THAT(world_.TakeWrites(), ElementsAre(std::string("POST ") + kPods));
  const json& pod = world_.pods.begin()->second;
  EXPECT_EQ(pod["spec"]["containers"][0]["image"], "registry.example/vector-add:1");
  EXPECT_THAT(metrics_.Exposition(),
              HasSubstr("berth_active_checks_running{check=\"vector-add\"} 1"));
}

TEST_F(RunnerTest, DoesNothingUnlessItLeads) {
  leads_ = false;
  RunFor(minutes(1));
  EXPECT_THAT(world_.requests, IsEmpty());
}

TEST_F(RunnerTest, AFailureBecomesTheConditionAndThePodGoes) {
  RunFor(seconds(1));
  Fail();
  world_.TakeWrites();
  RunFor(seconds(3));
  EXPECT_THAT(world_.TakeWrites(), ElementsAre("PATCH /api/v1/nodes/gpu-1/status",
                                               StartsWith(std::string("DELETE ") + kPods)));
  EXPECT_EQ(world_.patches[0], json::parse(R"({
      "metadata": {"uid": "gpu-1-uid", "resourceVersion": "7"},
      "status": {"conditions": [{"type": "GPURuntimeError", "status": "True",
        "reason": "ActiveCheckFailed",
        "message": "active check vector-add failed with exit code 3",
        "lastHeartbeatTime": "2027-01-15T08:00:00Z",
        "lastTransitionTime": "2027-01-15T08:00:00Z"}]}})"));
  EXPECT_EQ(Count("failed"), 1);
  EXPECT_THAT(world_.pods, IsEmpty());
}

TEST_F(RunnerTest, ASuccessTakesItBack) {
  world_.node["status"]["conditions"] = json::parse(R"([{"type": "GPURuntimeError",
      "status": "True", "reason": "ActiveCheckFailed",
      "lastTransitionTime": "2027-01-15T06:00:00Z"}])");
  RunFor(seconds(1));
  SetStatus(R"({"phase": "Succeeded"})");
  RunFor(seconds(3));
  ASSERT_THAT(world_.patches, SizeIs(1));
  const json& condition = world_.patches[0]["status"]["conditions"][0];
  EXPECT_EQ(condition["status"], "False");
  EXPECT_EQ(condition["reason"], "ActiveCheckPassed");
  EXPECT_EQ(condition["lastTransitionTime"], "2027-01-15T08:00:00Z");
  EXPECT_EQ(Count("passed"), 1);
}

TEST_F(RunnerTest, AnotherFailureKeepsTheTimeOfTheFirst) {
  world_.node["status"]["conditions"] = json::parse(R"([{"type": "GPURuntimeError",
      "status": "True", "reason": "ActiveCheckFailed",
      "lastTransitionTime": "2027-01-15T06:00:00Z"}])");
  RunFor(seconds(1));
  Fail();
  RunFor(seconds(3));
  ASSERT_THAT(world_.patches, SizeIs(1));
  EXPECT_EQ(world_.patches[0]["status"]["conditions"][0]["lastTransitionTime"],
            "2027-01-15T06:00:00Z");
}

// The API server writes null for a time that is not known, and refuses an empty one.
TEST_F(RunnerTest, ACheckGivesAConditionATimeThatHasNone) {
  world_.node["status"]["conditions"] = json::parse(R"([{"type": "GPURuntimeError",
      "status": "True", "reason": "ActiveCheckFailed", "lastTransitionTime": null}])");
  RunFor(seconds(1));
  Fail();
  RunFor(seconds(3));
  ASSERT_THAT(world_.patches, SizeIs(1));
  EXPECT_EQ(world_.patches[0]["status"]["conditions"][0]["lastTransitionTime"],
            "2027-01-15T08:00:00Z");
}

TEST_F(RunnerTest, StandsBackWhereSomebodyElseWritesTheCondition) {
  world_.node["status"]["conditions"] =
      json::parse(R"([{"type": "GPURuntimeError", "status": "False", "reason": "NoXid"}])");
  RunFor(seconds(30));
  EXPECT_THAT(world_.TakeWrites(), IsEmpty());
  EXPECT_EQ(Count("stood_back"), 1);
}

// It began to write while the check ran.
TEST_F(RunnerTest, LeavesAConditionAloneThatSomebodyElseHasWrittenMeanwhile) {
  RunFor(seconds(1));
  Fail();
  world_.node["status"]["conditions"] =
      json::parse(R"([{"type": "GPURuntimeError", "status": "True", "reason": "Xid79"}])");
  RunFor(seconds(3));
  EXPECT_THAT(world_.patches, IsEmpty());
  EXPECT_THAT(world_.pods, IsEmpty());
  EXPECT_EQ(Count("stood_back"), 1);
  EXPECT_EQ(Count("failed"), 0);
}

TEST_F(RunnerTest, ACheckThatToldNothingWritesNothing) {
  RunFor(seconds(1));
  SetStatus(R"({"phase": "Failed", "reason": "UnexpectedAdmissionError"})");
  RunFor(seconds(3));
  EXPECT_THAT(world_.patches, IsEmpty());
  EXPECT_THAT(world_.pods, IsEmpty());
  EXPECT_EQ(Count("not_run"), 1);
}

TEST_F(RunnerTest, ThePodIsDeletedWithinASecondWhenAPodWantsTheNode) {
  RunFor(seconds(2));
  world_.TakeWrites();
  runner_.OnUpsert(WaitingPod("train"));
  RunFor(milliseconds(500));
  EXPECT_THAT(world_.TakeWrites(), ElementsAre(StartsWith("DELETE ")));
  EXPECT_EQ(Count("yielded"), 1);
}

TEST_F(RunnerTest, ACheckIsNotGivenUpBecauseTheClockIsAhead) {
  now_ = kNow + minutes(10);
  RunFor(seconds(100));
  EXPECT_THAT(world_.TakeWrites(), ElementsAre(std::string("POST ") + kPods));
  RunFor(seconds(60));
  EXPECT_THAT(world_.TakeWrites(), ElementsAre(StartsWith("DELETE ")));
  EXPECT_EQ(Count("not_run"), 1);
}

TEST_F(RunnerTest, APodThatKubeSchedulerPreemptedHasYielded) {
  RunFor(seconds(1));
  SetStatus(R"({"phase": "Running", "conditions": [
      {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}]})");
  RunFor(seconds(2));
  world_.pods.clear();
  RunFor(seconds(2));
  EXPECT_EQ(Count("yielded"), 1);
  EXPECT_EQ(Count("not_run"), 0);
}

TEST_F(RunnerTest, APodThatVanishedHasYieldedIfAnotherHasItsNode) {
  RunFor(seconds(1));
  world_.pods.clear();
  model::Pod pod = WaitingPod("train");
  pod.node_name = "gpu-1";
  snapshot_.UpsertPod(pod);
  RunFor(seconds(2));
  EXPECT_EQ(Count("yielded"), 1);
}

// kube-scheduler deletes the victim, binds the pod afterwards, and another watch tells of it.
TEST_F(RunnerTest, APodThatVanishedHasYieldedIfAnotherGetsItsNodeSoon) {
  RunFor(seconds(1));
  world_.pods.clear();
  world_.refusals[std::string("POST ") + kPods] = 403;  // no other check meanwhile
  RunFor(seconds(5));
  EXPECT_EQ(Count("yielded") + Count("not_run"), 0);
  model::Pod pod = WaitingPod("train");
  pod.node_name = "gpu-1";
  snapshot_.UpsertPod(pod);
  RunFor(seconds(20));
  EXPECT_EQ(Count("yielded"), 1);
  EXPECT_EQ(Count("not_run"), 0);
}

TEST_F(RunnerTest, APodThatSomebodyDeletedHasToldNothing) {
  RunFor(seconds(1));
  world_.pods.clear();
  RunFor(seconds(12));
  EXPECT_EQ(Count("not_run"), 1);
}

// What was found is not lost, and another leader finds the pod.
TEST_F(RunnerTest, KeepsThePodUntilTheConditionIsWritten) {
  RunFor(seconds(1));
  Fail();
  world_.refusals["PATCH /api/v1/nodes/gpu-1/status"] = 403;
  RunFor(seconds(5));
  EXPECT_THAT(world_.pods, SizeIs(1));
  EXPECT_THAT(metrics_.Exposition(), HasSubstr("berth_active_check_errors_total 1"));
  EXPECT_EQ(Count("failed"), 0);
  world_.refusals.clear();
  RunFor(seconds(11));
  EXPECT_THAT(world_.pods, IsEmpty());
  EXPECT_EQ(Count("failed"), 1);
}

TEST_F(RunnerTest, ACheckCountsOnceHoweverOftenItsPodCannotBeDeleted) {
  RunFor(seconds(1));
  Fail();
  const std::string deletion = std::string("DELETE ") + kPods + '/' + world_.pods.begin()->first;
  world_.refusals[deletion] = 403;
  RunFor(minutes(1));
  EXPECT_THAT(world_.pods, SizeIs(1));
  EXPECT_EQ(Count("failed"), 1);
  EXPECT_THAT(world_.patches, SizeIs(1));
  world_.refusals.clear();
  RunFor(seconds(11));
  EXPECT_THAT(world_.pods, IsEmpty());
  EXPECT_EQ(Count("failed"), 1);
}

TEST_F(RunnerTest, AConditionThatCannotBeWrittenHoldsUpNoOtherCheck) {
  RunFor(seconds(1));
  Fail();
  const auto& [name, pod] = *world_.pods.begin();
  json other = pod;
  // It comes after the pod that cannot be dealt with.
  const std::string other_name = name + "-other";
  other["metadata"]["name"] = other_name;
  other["metadata"]["uid"] = "other-uid";
  for (json& value : other["metadata"]["annotations"]) {
    if (value == "gpu-1") value = "gpu-2";
    if (value == "gpu-1-uid") value = "gpu-2-uid";
  }
  json node = world_.node;
  node["metadata"]["name"] = "gpu-2";
  node["metadata"]["uid"] = "gpu-2-uid";
  world_.other_nodes.push_back(node);
  world_.pods[other_name] = other;
  world_.refusals["PATCH /api/v1/nodes/gpu-1/status"] = 422;
  world_.TakeWrites();
  RunFor(seconds(5));
  EXPECT_THAT(world_.TakeWrites(),
              ElementsAre("PATCH /api/v1/nodes/gpu-1/status", "PATCH /api/v1/nodes/gpu-2/status",
                          StartsWith(std::string("DELETE ") + kPods)));
  EXPECT_THAT(world_.pods, SizeIs(1));
  EXPECT_EQ(Count("failed"), 1);
  RunFor(seconds(10));
  EXPECT_THAT(world_.TakeWrites(), ElementsAre("PATCH /api/v1/nodes/gpu-1/status"))
      << "each pod has a time of its own at which it is tried again";
}

TEST_F(RunnerTest, ANewLeaderGoesOnWithWhatItFinds) {
  RunFor(seconds(1));
  leads_ = false;
  RunFor(seconds(1));
  Fail();
  world_.TakeWrites();
  leads_ = true;
  RunFor(seconds(1));
  EXPECT_THAT(world_.TakeWrites(), Contains("PATCH /api/v1/nodes/gpu-1/status"));
  EXPECT_EQ(Count("not_run"), 0);
}

TEST_F(RunnerTest, BeginsNothingAsLongAsItDoesNotKnowWhatRuns) {
  world_.lists_pods = false;
  RunFor(seconds(10));
  EXPECT_THAT(world_.TakeWrites(), IsEmpty());
  EXPECT_THAT(metrics_.Exposition(), Not(HasSubstr("berth_active_check_errors_total 0")));
}

}  // namespace
}  // namespace berth::checks
