#include "controller/fault_teller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "server/metrics.h"
#include "tests/unit/controller/fixtures.h"
#include "tests/unit/controller/limited_time.h"

namespace berth::controller {
namespace {

using nlohmann::json;
using policies::scheduling::kNow;
using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr char kPodsOfNode[] = "/api/v1/pods?limit=250&fieldSelector=spec.nodeName%3Dgpu-0";

/// An API server that keeps Events, and has one pod on gpu-0 that holds a GPU, one that does not,
/// and one that cannot be read.
class EventServer final : public kube::Transport {
 public:
  absl::Status Send(const kube::HttpRequest& request, kube::HttpSink& sink) override {
    requests.push_back(std::string(kube::NameOf(request.method)) + " " + request.target);
    int code = refusal;
    std::string body = R"({"message": "no"})";
    if (code == 200 && request.target == kPodsOfNode) body = Pods().dump();
    if (code == 200 && !request.body.empty()) code = Keep(json::parse(request.body));
    const absl::Status head = sink.OnHead({.status = code, .content_type = "application/json"});
    return head.ok() ? sink.OnBody(body) : head;
  }
  void Stop() override {}

  std::vector<std::string> requests;
  // "Excluded of gpu-0", those that were stored.
  std::vector<std::string> events;
  int refusal = 200;

 private:
  int Keep(const json& event) {
    if (!names_.insert(event["metadata"]["name"]).second) return 409;
    events.push_back(std::string(event["reason"]) + " of " +
                     std::string(event["involvedObject"]["name"]));
    return 201;
  }

  static json Pods() {
    const auto pod = [](const char* name, const json& requests) {
      return json{{"metadata", {{"namespace", "ml"}, {"name", name}, {"uid", name}}},
                  {"spec",
                   {{"nodeName", "gpu-0"},
                    {"containers",
                     json::array({{{"name", "c"}, {"resources", {{"requests", requests}}}}})}}},
                  {"status", {{"phase", "Running"}}}};
    };
    return {{"kind", "PodList"},
            {"items", json::array({{{"metadata", {{"name", 7}}}},
                                   pod("train", {{"nvidia.com/gpu", "1"}}),
                                   pod("logs", {{"cpu", "1"}})})}};
  }

  std::set<std::string> names_;
};

class FaultTellerTest : public testing::Test {
 protected:
  FaultTellerTest() {
    for (int i = 0; i < 12; ++i) Set(i, false);
  }

  // Breaks the node, or makes it well. Without a fault it has never had one, so nothing keeps it
  // out.
  void Set(int node, bool broken) {
    model::NodeState state =
        policies::scheduling::GpuNode("gpu-" + std::to_string(node), "NVIDIA-A30");
    state.node.uid = "uid-" + std::to_string(node);
    const model::Time now = Now();
    if (broken) {
      state.node.conditions = {{"GPUIsLost", model::ConditionStatus::kTrue, now - seconds(1), now}};
    }
    snapshot_->UpsertNode(state.node);
  }

  model::Time Now() const { return kNow + std::chrono::duration_cast<seconds>(time_.now - start_); }

  FaultTeller::Options Options() {
    return {.health = {},
            .events = true,
            .may_write = [this] { return leads_; },
            .now = [this] { return Now(); }};
  }

  // Lets it run, and calls `steps` one after the other, ten seconds apart, the first one after ten.
  void Run(std::vector<std::function<void()>> steps, FaultTeller::Options options,
           EventServer& server) {
    time_.end = time_.now + seconds(10) * (static_cast<int>(steps.size()) + 1);
    auto next_step = time_.now + seconds(10);
    std::size_t step = 0;
    time_.on_wait = [&] {
      if (step < steps.size() && time_.now >= next_step) {
        steps[step++]();
        next_step += seconds(10);
      }
    };
    FaultTeller(std::move(options), snapshot_.get(), &server, &time_, &faults_, &record_).Run();
    time_.on_wait = {};
  }
  void Run(std::vector<std::function<void()>> steps) { Run(std::move(steps), Options(), server_); }

  std::unique_ptr<cluster::Snapshot> snapshot_ = MakeSnapshot();
  LimitedTime time_;
  const kube::Timer::Clock::time_point start_ = time_.now;
  server::Metrics metrics_;
  FaultMetrics faults_{metrics_};
  WriteRecord record_;
  EventServer server_;
  bool leads_ = true;
};

TEST_F(FaultTellerTest, TellsOfTheNodeAndOfPodsThatHoldItsDevicesOnce) {
  Run({[this] { Set(0, true); }, [this] { Set(0, false); }});
  EXPECT_THAT(server_.events,
              ElementsAre("Excluded of gpu-0", "NodeExcluded of train", "Returned of gpu-0"));
  EXPECT_THAT(server_.requests, SizeIs(4));
  EXPECT_THAT(record_.written, ElementsAre("told gpu-0 Excluded", "told ml/train NodeExcluded",
                                           "told gpu-0 Returned"));
  EXPECT_THAT(metrics_.Exposition(),
              HasSubstr(R"(berth_fault_exclusion_delay_seconds_count{condition="GPUIsLost"} 1)"));
}

TEST_F(FaultTellerTest, ThatBeginsToLeadTellsWhatTheFormerLeaderDidNot) {
  Run({[this] { Set(0, true); }});
  ASSERT_THAT(server_.events, SizeIs(2));
  // Another replica has seen the same, and begins to lead a moment later.
  Set(0, false);
  leads_ = false;
  time_.now = start_;
  Run({[this] { Set(0, true); }, [this] { Set(1, true); }, [this] { leads_ = true; }});
  EXPECT_THAT(server_.events,
              ElementsAre("Excluded of gpu-0", "NodeExcluded of train", "Excluded of gpu-1"));
  for (const absl::Status& status : record_.statuses) EXPECT_TRUE(status.ok()) << status;
}

TEST_F(FaultTellerTest, SaysNothingThatIsNoNews) {
  Set(0, true);
  time_.now += seconds(60);
  Run({});
  leads_ = false;
  Run({[this] { Set(1, true); }, [] {}, [] {}, [] {}, [] {}, [] {}, [] {}, [] {},
       [this] { leads_ = true; }});
  EXPECT_THAT(server_.requests, IsEmpty());
}

TEST_F(FaultTellerTest, DoesNotTellOfHalfThePool) {
  Run({[this] {
         for (int i = 0; i < 7; ++i) Set(i, true);
       },
       [this] {
         for (int i = 0; i < 7; ++i) Set(i, false);
       }});
  EXPECT_THAT(server_.requests, IsEmpty());
  EXPECT_THAT(metrics_.Exposition(),
              HasSubstr(R"(berth_fault_exclusion_delay_seconds_count{condition="GPUIsLost"} 7)"));
}

TEST_F(FaultTellerTest, TellsEverMoreSeldomOfAConditionThatComesAndGoes) {
  std::vector<std::function<void()>> steps;
  for (int i = 0; i < 60; ++i) steps.push_back([this, i] { Set(1, i % 2 == 0); });
  Run(steps);
  EXPECT_LE(server_.events.size(), 20U);
  EXPECT_GE(server_.events.size(), 6U);
}

TEST_F(FaultTellerTest, WritesNothingWithoutEventsAndGivesUpWhatIsRefused) {
  FaultTeller::Options silent = Options();
  silent.events = false;
  Run({[this] { Set(0, true); }}, silent, server_);
  EXPECT_THAT(server_.requests, IsEmpty());
  EXPECT_THAT(metrics_.Exposition(), HasSubstr("berth_fault_exclusion_delay_seconds_count"));

  Set(0, false);
  server_.refusal = 403;
  Run({[this] { Set(1, true); }, [] {}});
  EXPECT_THAT(server_.requests, SizeIs(2));  // the node's Event, and the list of its pods
  ASSERT_THAT(record_.statuses, SizeIs(2));
  EXPECT_TRUE(absl::IsPermissionDenied(record_.statuses[0]));
}

}  // namespace
}  // namespace berth::controller
