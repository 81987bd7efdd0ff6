#include "controller/preflight_runner.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/metrics.h"
#include "tests/unit/controller/limited_time.h"
#include "tests/unit/policies/fixtures.h"

namespace berth::controller {
namespace {

using nlohmann::json;
using planner::PreflightAnswer;
using policies::scheduling::kNow;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;
using Word = PreflightAnswer::Word;

constexpr char kPods[] = "/api/v1/namespaces/berth-system/pods";

/// An API server with nodes gpu-0 and gpu-1, and the pods of preflights, which get an address when
/// they are created. A pod that is deleted is gone.
class PreflightApi final : public kube::Transport {
 public:
  absl::Status Send(const kube::HttpRequest& request, kube::HttpSink& sink) override {
    const std::string what = std::string(kube::NameOf(request.method)) + " " + request.target;
    requests.push_back(what);
    const auto refusal = refusals.find(kube::NameOf(request.method));
    std::string body = R"({"message":"no"})";
    const bool is_refused =
        refusal != refusals.end() && request.body.find(refused_with) != std::string::npos;
    const int code = is_refused ? refusal->second : Answer(request, body);
    const absl::Status head = sink.OnHead({.status = code, .content_type = "application/json"});
    if (!head.ok()) return head;
    return sink.OnBody(body);
  }
  void Stop() override {}

  std::vector<std::string> TakeWrites() {
    std::vector<std::string> writes;
    for (const std::string& each : requests) {
      if (!each.starts_with("GET ")) writes.push_back(each);
    }
    requests.clear();
    return writes;
  }

  std::map<std::string, json> pods;
  std::map<std::string_view, int> refusals;  // by method
  // Of requests whose bodies have this text.
  std::string refused_with;
  std::vector<std::string> requests;
  std::map<std::string, json> patches;  // by target
  // Of the condition on the nodes, if they have it already.
  std::string reason;

 private:
  int Answer(const kube::HttpRequest& request, std::string& body) {
    if (request.method == kube::HttpMethod::kPost) return Create(request, body);
    if (request.method == kube::HttpMethod::kDelete) {
      return pods.erase(request.target.substr(sizeof(kPods))) == 1 ? 200 : 404;
    }
    if (request.method == kube::HttpMethod::kPatch) {
      patches[request.target] = json::parse(request.body);
      return 200;
    }
    json items = json::array();
    if (request.target.starts_with("/api/v1/nodes")) {
      const std::string name = request.target.ends_with("gpu-0") ? "gpu-0" : "gpu-1";
      items.push_back(
          {{"metadata", {{"name", name}, {"uid", name + "-uid"}, {"resourceVersion", "7"}}},
           {"status", {{"conditions", json::array()}}}});
      if (!reason.empty()) {
        items[0]["status"]["conditions"].push_back(
            {{"type", "GPURuntimeError"}, {"status", "False"}, {"reason", reason}});
      }
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
    pod["metadata"]["uid"] = "uid-of-" + name;
    pod["metadata"]["creationTimestamp"] = "2027-01-15T08:00:00Z";
    pod["status"] = {{"phase", "Running"}, {"podIP", "10.0.0.7"}};
    pods[name] = pod;
    body = pod.dump();
    return 201;
  }
};

class PreflightRunnerTest : public ::testing::Test {
 protected:
  // The gang asks all the time.
  void RunFor(milliseconds duration) {
    time_.on_wait = [this] { answer_ = runner_.Ask(request_); };
    time_.end = time_.now + duration;
    runner_.Run();
  }
  // Both pods run.
  void Begin() {
    answer_ = runner_.Ask(request_);
    RunFor(seconds(2));
    ASSERT_THAT(api_.pods, SizeIs(2));
    api_.TakeWrites();
  }
  json& PodOf(std::size_t rank) {
    return std::next(api_.pods.begin(), static_cast<std::ptrdiff_t>(rank))->second;
  }
  void Succeed(std::size_t rank) { PodOf(rank)["status"] = {{"phase", "Succeeded"}}; }
  void Fail(std::size_t rank) {
    PodOf(rank)["status"] = json::parse(R"({"phase": "Failed", "containerStatuses": [
        {"name": "check", "state": {"terminated": {"exitCode": 3, "reason": "Error"}}}]})");
  }
  double Count(const std::string& series) {
    const std::string text = metrics_.Exposition();
    const auto at = text.find("\n" + series + " ");
    return at == std::string::npos ? -1 : std::stod(text.substr(at + series.size() + 2));
  }
  double Ended(const std::string& result) {
    return Count("berth_gang_preflights_total{result=\"" + result + "\"}");
  }

  planner::PreflightRequest request_{
      .gang = "ml/train",
      .run = 7,
      .said = {},
      .places = {{"gpu-0", "gpu-0-uid", {}}, {"gpu-1", "gpu-1-uid", {}}}};
  PreflightAnswer answer_;
  PreflightApi api_;
  LimitedTime time_;
  bool leads_ = true;
  server::Metrics metrics_;
  PreflightMetrics preflight_metrics_{metrics_};
  PreflightRunner runner_{{.config = {.image = "registry.example/all-reduce:1",
                                      .command = {"/all-reduce"},
                                      .timeout = minutes(2)},
                           .pods = {},
                           .names = {.prefix = "berth.dev", .namespace_name = "berth-system"},
                           .owner = [] { return std::nullopt; },
                           .may_write = [this] { return leads_; },
                           .now = [] { return kNow; }},
                          &api_,
                          &time_,
                          &preflight_metrics_};
};

TEST_F(PreflightRunnerTest, RunsAPodOnEachNodeOfTheGang) {
  answer_ = runner_.Ask(request_);
  EXPECT_EQ(answer_.word, Word::kWait);
  RunFor(seconds(2));
  ASSERT_THAT(api_.pods, SizeIs(2));
  EXPECT_EQ(PodOf(0)["spec"]["nodeName"], "gpu-0");
  EXPECT_EQ(PodOf(1)["spec"]["nodeName"], "gpu-1");
  EXPECT_EQ(PodOf(1)["spec"]["containers"][0]["image"], "registry.example/all-reduce:1");
  EXPECT_THAT(PodOf(1)["spec"]["containers"][0]["env"],
              Contains(json({{"name", "MASTER_ADDR"}, {"value", "10.0.0.7"}})));
  EXPECT_EQ(Count("berth_gang_preflights_running"), 1);
}

TEST_F(PreflightRunnerTest, ReleasesTheGangWhenAllHavePassedAndAreGone) {
  Begin();
  Succeed(0);
  RunFor(seconds(3));
  EXPECT_EQ(answer_.word, Word::kWait);
  Succeed(1);
  RunFor(seconds(3));
  EXPECT_EQ(answer_.word, Word::kGo);
  EXPECT_THAT(api_.pods, IsEmpty());
  EXPECT_THAT(api_.patches, IsEmpty());
  EXPECT_EQ(Ended("passed"), 1);
}

TEST_F(PreflightRunnerTest, WritesTheConditionOfANodeAtFaultAsAnActiveCheckDoes) {
  Begin();
  Succeed(0);
  Fail(1);
  RunFor(seconds(3));
  EXPECT_THAT(api_.TakeWrites(), ElementsAre("PATCH /api/v1/nodes/gpu-1/status",
                                             StartsWith("DELETE "), StartsWith("DELETE ")));
  EXPECT_EQ(api_.patches["/api/v1/nodes/gpu-1/status"], json::parse(R"({
      "metadata": {"uid": "gpu-1-uid", "resourceVersion": "7"},
      "status": {"conditions": [{"type": "GPURuntimeError", "status": "True",
        "reason": "ActiveCheckFailed",
        "message": "preflight of gang ml/train failed with exit code 3",
        "lastHeartbeatTime": "2027-01-15T08:00:00Z",
        "lastTransitionTime": "2027-01-15T08:00:00Z"}]}})"));
  EXPECT_EQ(answer_.word, Word::kWait);
  EXPECT_EQ(Ended("failed"), 1);
}

TEST_F(PreflightRunnerTest, LeavesAConditionAloneThatSomebodyElseWrites) {
  api_.reason = "NoXid";
  Begin();
  Succeed(0);
  Fail(1);
  RunFor(seconds(15));
  EXPECT_THAT(api_.patches, IsEmpty());
  EXPECT_THAT(api_.pods, IsEmpty());
  EXPECT_EQ(answer_.word, Word::kRest);
}

TEST_F(PreflightRunnerTest, IsGivenUpIfItNeverEnds) {
  Begin();
  RunFor(minutes(2));
  EXPECT_THAT(api_.pods, IsEmpty());
  EXPECT_EQ(answer_.word, Word::kGo);
  EXPECT_EQ(Ended("not_run"), 1);
}

TEST_F(PreflightRunnerTest, IsGivenUpIfNoPodCanBeCreated) {
  api_.refusals["POST"] = 403;
  answer_ = runner_.Ask(request_);
  RunFor(minutes(2) + seconds(10));
  EXPECT_EQ(answer_.word, Word::kGo);
  EXPECT_EQ(Ended("not_run"), 1);
  EXPECT_GT(Count("berth_gang_preflight_errors_total"), 1);
  EXPECT_LT(Count("berth_gang_preflight_errors_total"), 30) << "it does not ask at every step";
}

// As by a LimitRange that the pods of one gang exceed.
TEST_F(PreflightRunnerTest, AGangWhosePodsCannotBeCreatedHoldsUpNoOther) {
  api_.refusals["POST"] = 403;
  api_.refused_with = "ml/large";
  planner::PreflightRequest large = request_;
  large.gang = "ml/large";
  time_.on_wait = [&] {
    runner_.Ask(large);
    answer_ = runner_.Ask(request_);
  };
  time_.end = time_.now + seconds(20);
  runner_.Run();
  ASSERT_THAT(api_.pods, SizeIs(2));
  Succeed(0);
  Succeed(1);
  time_.end = time_.now + seconds(20);
  runner_.Run();
  EXPECT_EQ(answer_.word, Word::kGo);
  EXPECT_EQ(Ended("passed"), 1);
}

TEST_F(PreflightRunnerTest, DoesNothingUnlessItLeads) {
  leads_ = false;
  answer_ = runner_.Ask(request_);
  RunFor(minutes(1));
  EXPECT_THAT(api_.requests, IsEmpty());
}

TEST_F(PreflightRunnerTest, AnotherLeaderGoesOnWithIt) {
  Begin();
  leads_ = false;
  RunFor(seconds(5));
  Succeed(0);
  Succeed(1);
  leads_ = true;
  RunFor(seconds(5));
  EXPECT_THAT(api_.TakeWrites(), Each(StartsWith("DELETE ")));
  EXPECT_EQ(answer_.word, Word::kGo);
  EXPECT_EQ(Ended("passed"), 1);
}

TEST_F(PreflightRunnerTest, AnotherLeaderCleansUpWhatNoGangAsksFor) {
  Begin();
  leads_ = false;
  RunFor(seconds(1));
  leads_ = true;
  request_.places.resize(1);
  RunFor(seconds(30));
  EXPECT_THAT(api_.pods, IsEmpty());
}

TEST_F(PreflightRunnerTest, ListsSeldomWhileNothingRuns) {
  request_.places.clear();
  RunFor(minutes(1));
  EXPECT_THAT(api_.requests, SizeIs(testing::Lt(6)));
  EXPECT_THAT(metrics_.Exposition(), HasSubstr("berth_gang_preflights_running 0"));
}

}  // namespace
}  // namespace berth::controller
