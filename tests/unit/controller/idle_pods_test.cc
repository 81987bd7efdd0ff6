#include "controller/idle_pods.h"

#include <chrono>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/avoid.h"
#include "tests/unit/controller/fixtures.h"
#include "tests/unit/controller/limited_time.h"
#include "tests/unit/usage/fake_prometheus.h"

namespace berth::controller {
namespace {

using nlohmann::json;
using policies::scheduling::GpuNode;
using policies::scheduling::kGpu;
using policies::scheduling::kNow;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::EndsWith;
using testing::Gt;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr char kCreatedBy[] = "berth.dev/created-by";
constexpr char kKeepUntil[] = "berth.dev/keep-idle-until";

/// An API server with pods that can be read and evicted.
class PodsApi final : public kube::Transport {
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

  std::map<std::string, json> pods;
  /// Pods that a budget protects.
  std::set<std::string> protected_pods;
  std::vector<std::string> evicted;
  std::vector<json> events;
  std::set<std::string> event_names;

 private:
  int Answer(const kube::HttpRequest& request, std::string& body) {
    const std::string& target = request.target;
    if (request.method == kube::HttpMethod::kGet) {
      const auto found = pods.find(target.substr(target.rfind('/') + 1));
      if (found == pods.end()) return 404;
      body = found->second.dump();
      return 200;
    }
    const json written = json::parse(request.body);
    if (target.ends_with("/events")) {
      if (!event_names.insert(written["metadata"]["name"]).second) return 409;
      events.push_back(written);
      return 201;
    }
    const std::string name = written["metadata"]["name"];
    if (protected_pods.contains(name)) return 429;
    EXPECT_EQ(written["deleteOptions"]["preconditions"]["uid"], name + "-uid");
    evicted.push_back(name);
    pods.erase(name);
    return 201;
  }
};

class IdlePodsTest : public testing::Test {
 protected:
  IdlePodsTest() {
    snapshot_.UpsertNode(GpuNode("gpu-1", "NVIDIA-A30", 8).node);
    for (const auto kind : {cluster::Kind::kNodes, cluster::Kind::kPods}) {
      snapshot_.BeginReplace(kind);
    }
    snapshot_.UpsertNode(GpuNode("gpu-1", "NVIDIA-A30", 8).node);
    for (const auto kind : {cluster::Kind::kPods, cluster::Kind::kNodes}) {
      snapshot_.EndReplace(kind);
    }
    time_.on_wait = [this] {
      passed_ = time_.now - start_;
      if (on_wait_) on_wait_();
    };
  }

  // A pod that holds a device, created ten hours ago.
  void Add(const std::string& name, bool notebook, json annotations = json::object()) {
    model::Pod pod = policies::scheduling::PodAskingFor(kGpu, 1);
    pod.namespace_ = "nlp";
    pod.name = name;
    pod.uid = name + "-uid";
    pod.node_name = "gpu-1";
    pod.created = kNow - hours(10);
    pod.annotations = {{kCreatedBy, "alice"}};
    snapshot_.UpsertPod(pod);
    json labels = json::object();
    if (notebook) labels["notebook-name"] = name;
    api_.pods[name] = {{"metadata",
                        {{"namespace", "nlp"},
                         {"name", name},
                         {"uid", name + "-uid"},
                         {"creationTimestamp", "2026-01-01T00:00:00Z"},
                         {"annotations", std::move(annotations)},
                         {"labels", labels}}},
                       {"spec", {{"nodeName", "gpu-1"}, {"containers", json::array()}}},
                       {"status", {{"phase", "Running"}}}};
  }

  // What was measured in the last window of all pods.
  void Measure(const std::map<std::string, double>& peaks, double coverage = 1) {
    prometheus_.answers.clear();
    std::string counts;
    std::string values;
    for (const auto& [name, peak] : peaks) {
      const std::map<std::string, std::string> labels = {
          {"namespace", "nlp"}, {"pod", name}, {"UUID", "GPU-" + name}};
      counts += (counts.empty() ? "" : ",") + usage::FakePrometheus::Series(labels, 120 * coverage);
      values += (values.empty() ? "" : ",") + usage::FakePrometheus::Series(labels, peak);
    }
    prometheus_.Answer("count_over_time", counts);
    prometheus_.Answer("max_over_time", values);
  }

  void RunFor(minutes duration) {
    time_.end = time_.now + duration;
    if (idle_ == nullptr) {
      client_ = usage::ClientOf(prometheus_);
      idle_ = std::make_unique<IdlePods>(
          IdlePods::Options{
              .config = config_,
              .idle = {},
              .keep_annotation = kKeepUntil,
              .may_write = [this] { return leads_; },
              .now = [this] { return kNow + std::chrono::duration_cast<seconds>(passed_); }},
          &snapshot_, client_.get(), &api_, &time_, &record_, &idle_metrics_);
    }
    idle_->Run();
  }

  std::vector<std::string> Reasons() const {
    std::vector<std::string> reasons;
    for (const json& event : api_.events) {
      reasons.push_back(event["involvedObject"]["name"].get<std::string>() + " " +
                        event["reason"].get<std::string>());
    }
    return reasons;
  }
  std::string LastMessage() const { return api_.events.back()["message"]; }

  // A time after the test's begin, which is at eight in the morning.
  static std::string After(minutes duration) { return model::Rfc3339Text(kNow + duration); }

  // Writes the annotation, as a user does.
  void KeepUntil(const std::string& name, const std::string& until) {
    api_.pods[name]["metadata"]["annotations"][kKeepUntil] = until;
  }

  std::vector<std::string> MessagesOf(const std::string& name, const std::string& reason) const {
    std::vector<std::string> messages;
    for (const json& event : api_.events) {
      if (event["involvedObject"]["name"] == name && event["reason"] == reason) {
        messages.push_back(event["message"]);
      }
    }
    return messages;
  }

  // Each time that follows these words in what was told, and when it was told.
  std::vector<std::tuple<std::string, std::string>> TimesAfter(const std::string& words) const {
    std::vector<std::tuple<std::string, std::string>> times;
    for (const json& event : api_.events) {
      const std::string message = event["message"];
      const std::size_t found = message.find(words + " 20");
      if (found == std::string::npos) continue;
      times.emplace_back(message.substr(found + words.size() + 1, After(minutes(0)).size()),
                         event["firstTimestamp"]);
    }
    return times;
  }

  class Record final : public WriteObserver {
   public:
    void OnWritten(Write write, std::string_view object, std::string_view,
                   const absl::Status& status) override {
      if (write == Write::kIdleEviction) {
        evictions.push_back(std::string(object) + " " +
                            std::string(absl::StatusCodeToString(status.code())));
      }
    }
    std::vector<std::string> evictions;
  };

  LimitedTime time_;
  const LimitedTime::Clock::time_point start_ = time_.now;
  LimitedTime::Clock::duration passed_{0};
  std::function<void()> on_wait_;
  bool leads_ = true;
  IdlePodsConfig config_{.enabled = true, .min_age = hours(1), .per_minute = 10};
  cluster::Snapshot snapshot_{
      {.catalog = policies::scheduling::Catalog(), .labels = {}, .creator_annotation = kCreatedBy}};
  usage::FakePrometheus prometheus_;
  std::unique_ptr<usage::Prometheus> client_;
  PodsApi api_;
  Record record_;
  server::Metrics metrics_;
  IdleMetrics idle_metrics_{metrics_};
  std::unique_ptr<IdlePods> idle_;
};

TEST_F(IdlePodsTest, TellsOfEachIdlePodOnceADay) {
  Add("idle", false);
  Add("busy", false);
  Add("unknown", false);
  Measure({{"idle", 0}, {"busy", 80}});
  RunFor(minutes(60));
  ASSERT_THAT(api_.events, SizeIs(1));
  const json& event = api_.events[0];
  EXPECT_EQ(event["reason"], "Idle");
  EXPECT_EQ(event["involvedObject"]["kind"], "Pod");
  EXPECT_EQ(event["involvedObject"]["name"], "idle");
  EXPECT_EQ(event["involvedObject"]["namespace"], "nlp");
  EXPECT_EQ(event["involvedObject"]["uid"], "idle-uid");
  EXPECT_EQ(event["message"],
            "This pod holds 1 A30 and did not use any of it in the last 2h: the utilisation stayed "
            "below 5 %.");
  RunFor(minutes(24 * 60));
  EXPECT_THAT(api_.events, SizeIs(2));
  EXPECT_THAT(api_.evicted, IsEmpty());
}

TEST_F(IdlePodsTest, CountsIdleDevices) {
  Add("idle", false);
  Add("busy", false);
  Add("unknown", false);
  Measure({{"idle", 0}, {"busy", 80}});
  on_wait_ = [this] {
    const std::string text = metrics_.Exposition();
    EXPECT_THAT(text, HasSubstr("berth_idle_devices{creator=\"alice\",namespace=\"nlp\","
                                "accelerator=\"A30\"} 1\n"));
    EXPECT_THAT(text, HasSubstr("berth_idle_unjudged_devices{accelerator=\"A30\","
                                "reason=\"no_data\"} 1\n"));
  };
  RunFor(minutes(10));
  EXPECT_THAT(metrics_.Exposition(), Not(HasSubstr("berth_idle_devices{"))) << "it has ended";
}

TEST(IdleMetricsTest, CountsNoMoreDevicesThanFit) {
  server::Metrics metrics;
  IdleMetrics idle(metrics);
  const usage::PodUse use{
      .holding = {.accelerator = "A30", .devices = std::numeric_limits<std::int64_t>::max()},
      .use = usage::Use::kNoData};
  idle.Set({use, use});
  EXPECT_THAT(metrics.Exposition(), HasSubstr("berth_idle_unjudged_devices{accelerator=\"A30\","
                                              "reason=\"no_data\"} 9.22337"));
}

TEST_F(IdlePodsTest, DoesNothingUnlessItLeads) {
  Add("idle", false);
  Measure({{"idle", 0}});
  leads_ = false;
  RunFor(minutes(60));
  EXPECT_THAT(api_.events, IsEmpty());
  EXPECT_THAT(prometheus_.targets, IsEmpty());
}

TEST_F(IdlePodsTest, LooksAsSoonAsItLeads) {
  Add("idle", false);
  Measure({{"idle", 0}});
  leads_ = false;
  on_wait_ = [this] { leads_ = true; };
  RunFor(minutes(1));
  EXPECT_THAT(Reasons(), ElementsAre("idle Idle"));
}

TEST_F(IdlePodsTest, CountsFailuresOfPrometheus) {
  Add("idle", true);
  config_.evict_notebooks_after = minutes(30);
  Measure({{"idle", 0}});
  prometheus_.status = 503;
  testing::internal::CaptureStderr();
  RunFor(minutes(20));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("cannot tell which devices"));
  EXPECT_THAT(metrics_.Exposition(), HasSubstr("berth_idle_errors_total 4\n"));
  EXPECT_THAT(api_.events, IsEmpty());
}

TEST_F(IdlePodsTest, EvictsNotebooksAfterTheGracePeriod) {
  Add("notebook", true);
  Add("job", false);
  config_.evict_notebooks_after = hours(1);
  Measure({{"notebook", 0}, {"job", 0}});
  RunFor(minutes(60));
  EXPECT_THAT(api_.evicted, IsEmpty());
  ASSERT_THAT(Reasons(), ElementsAre("job Idle", "notebook Idle"));
  EXPECT_THAT(std::string(api_.events[0]["message"]),
              HasSubstr("It is not evicted, because it is no notebook."));
  EXPECT_THAT(std::string(api_.events[1]["message"]),
              AllOf(HasSubstr("It will be evicted after 20"), HasSubstr(kKeepUntil)));
  RunFor(minutes(10));
  EXPECT_THAT(api_.evicted, ElementsAre("notebook"));
  EXPECT_THAT(Reasons(), ElementsAre("job Idle", "notebook Idle", "notebook IdleEvicted"));
  EXPECT_THAT(record_.evictions, ElementsAre("nlp/notebook OK"));
}

TEST_F(IdlePodsTest, BeginsTheGracePeriodAnewAfterUse) {
  Add("notebook", true);
  config_.evict_notebooks_after = hours(1);
  Measure({{"notebook", 0}});
  RunFor(minutes(50));
  Measure({{"notebook", 60}});
  RunFor(minutes(10));
  Measure({{"notebook", 0}});
  RunFor(minutes(55));
  EXPECT_THAT(api_.evicted, IsEmpty());
  EXPECT_THAT(Reasons(), ElementsAre("notebook Idle", "notebook Idle"));
  const auto deadline = [this](std::size_t event) {
    const std::string message = api_.events[event]["message"];
    const std::size_t begin = message.find("evicted after ");
    return message.substr(begin, message.find(',', begin) - begin);
  };
  EXPECT_NE(deadline(0), deadline(1)) << "the first one does not hold any more";
  RunFor(minutes(15));
  EXPECT_THAT(api_.evicted, ElementsAre("notebook"));
}

// What was used in between is in no window.
TEST_F(IdlePodsTest, BeginsTheGracePeriodAnewAfterPrometheusWasAwayForLongerThanTheWindow) {
  Add("notebook", true);
  config_.evict_notebooks_after = hours(24);
  Measure({{"notebook", 0}});
  RunFor(hours(20));
  prometheus_.status = 503;
  testing::internal::CaptureStderr();
  RunFor(hours(6));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("cannot tell which devices"));
  prometheus_.status = 200;
  RunFor(hours(24));
  EXPECT_THAT(api_.evicted, IsEmpty());
  RunFor(minutes(10));
  EXPECT_THAT(api_.evicted, ElementsAre("notebook"));
}

TEST_F(IdlePodsTest, GoesOnWithTheGracePeriodAfterPrometheusWasAwayForLessThanTheWindow) {
  Add("notebook", true);
  config_.evict_notebooks_after = hours(24);
  Measure({{"notebook", 0}});
  RunFor(hours(20));
  prometheus_.status = 503;
  testing::internal::CaptureStderr();
  RunFor(minutes(110));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("cannot tell which devices"));
  prometheus_.status = 200;
  RunFor(hours(2));
  EXPECT_THAT(api_.evicted, IsEmpty());
  RunFor(minutes(20));
  EXPECT_THAT(api_.evicted, ElementsAre("notebook"));
}

// Between two looks that do not fail, nobody sees most of the time either.
TEST_F(IdlePodsTest, GoesOnWithTheGracePeriodAfterOneFailedLookHoweverRareLooksAre) {
  Add("notebook", true);
  config_.every = hours(6);
  config_.evict_notebooks_after = hours(24);
  Measure({{"notebook", 0}});
  RunFor(hours(12));
  prometheus_.status = 503;
  testing::internal::CaptureStderr();
  RunFor(hours(6));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("cannot tell which devices"));
  EXPECT_THAT(metrics_.Exposition(), HasSubstr("berth_idle_errors_total 1\n"));
  prometheus_.status = 200;
  RunFor(hours(6));
  EXPECT_THAT(api_.evicted, IsEmpty());
  RunFor(hours(6));
  EXPECT_THAT(api_.evicted, ElementsAre("notebook"));
}

TEST_F(IdlePodsTest, EvictsAlsoIfItLooksLessOftenThanOnceAWindow) {
  Add("notebook", true);
  config_.every = hours(6);
  config_.evict_notebooks_after = hours(24);
  Measure({{"notebook", 0}});
  RunFor(hours(24));
  EXPECT_THAT(api_.evicted, IsEmpty());
  RunFor(hours(6));
  EXPECT_THAT(api_.evicted, ElementsAre("notebook"));
}

// So many that a look does not read each of them.
TEST_F(IdlePodsTest, BeginsTheGracePeriodAnewAfterUseAlsoAmongManyIdlePods) {
  std::map<std::string, double> peaks = {{"notebook", 0}};
  for (int i = 0; i < 600; ++i) peaks["job-" + std::to_string(i)] = 0;
  for (const auto& [name, peak] : peaks) Add(name, name == "notebook");
  config_.evict_notebooks_after = hours(1);
  Measure(peaks);
  RunFor(minutes(50));
  peaks["notebook"] = 60;
  Measure(peaks);
  RunFor(minutes(10));
  peaks["notebook"] = 0;
  Measure(peaks);
  RunFor(minutes(50));
  EXPECT_THAT(api_.evicted, IsEmpty());
  RunFor(minutes(30));
  EXPECT_THAT(api_.evicted, ElementsAre("notebook"));
}

TEST_F(IdlePodsTest, BeginsTheGracePeriodAnewForAnotherPodOfTheName) {
  Add("notebook", true);
  config_.evict_notebooks_after = hours(1);
  Measure({{"notebook", 0}});
  RunFor(minutes(50));
  api_.pods["notebook"]["metadata"]["uid"] = "another-uid";
  RunFor(minutes(55));
  EXPECT_THAT(Reasons(), ElementsAre("notebook Idle", "notebook Idle"));
  EXPECT_THAT(api_.evicted, IsEmpty());
}

TEST_F(IdlePodsTest, TakesMissingMeasurementsForNothing) {
  Add("notebook", true);
  config_.evict_notebooks_after = hours(1);
  Measure({{"notebook", 0}}, 0.5);
  RunFor(minutes(300));
  EXPECT_THAT(api_.events, IsEmpty());
  EXPECT_THAT(api_.evicted, IsEmpty());
}

TEST_F(IdlePodsTest, SaysOfEachExemption) {
  Add("kept", true, {{kKeepUntil, After(hours(5))}});
  Add("odd", true, {{kKeepUntil, "tomorrow"}});
  Add("expired", true, {{kKeepUntil, After(hours(-5))}});
  Add("guarded", true);
  api_.protected_pods = {"guarded"};
  config_.evict_notebooks_after = hours(1);
  Measure({{"kept", 0}, {"odd", 0}, {"expired", 0}, {"guarded", 0}});
  RunFor(minutes(100));
  EXPECT_THAT(api_.evicted, ElementsAre("expired"));
  std::map<std::string, std::string> why;
  for (const json& event : api_.events) {
    if (event["reason"] == "NotEvicted") why[event["involvedObject"]["name"]] = event["message"];
  }
  EXPECT_THAT(why, SizeIs(3));
  EXPECT_THAT(why["kept"], HasSubstr("stays: its annotation berth.dev/keep-idle-until says so"));
  EXPECT_THAT(why["odd"], HasSubstr("stays: its annotation berth.dev/keep-idle-until is no time"));
  EXPECT_THAT(why["guarded"], HasSubstr("stays: a PodDisruptionBudget is in the way"));
  RunFor(hours(5));
  EXPECT_THAT(api_.evicted, ElementsAre("expired", "kept"));
}

TEST_F(IdlePodsTest, EvictsNoYoungNotebooks) {
  Add("notebook", true);
  config_.evict_notebooks_after = hours(1);
  api_.pods["notebook"]["metadata"]["creationTimestamp"] = absl::FormatTime(
      "%Y-%m-%dT%H:%M:%SZ", absl::FromChrono(kNow - hours(10)), absl::UTCTimeZone());
  config_.min_age = hours(20);
  Measure({{"notebook", 0}});
  RunFor(minutes(100));
  EXPECT_THAT(api_.evicted, IsEmpty());
  EXPECT_THAT(LastMessage(), HasSubstr("stays: it is younger than 20h"));
  EXPECT_THAT(MessagesOf("notebook", "Idle"),
              ElementsAre(HasSubstr("It stays: it is younger than 20h. It will be evicted after " +
                                    After(hours(10)) + ",")));
  RunFor(hours(9));
  EXPECT_THAT(api_.evicted, ElementsAre("notebook"));
}

// Whoever looks on any day sees what holds: events are kept for an hour by default.
TEST_F(IdlePodsTest, SaysOnEachDayUntilWhenTheAnnotationKeepsANotebook) {
  Add("notebook", true);
  config_.evict_notebooks_after = hours(24);
  Measure({{"notebook", 0}});
  RunFor(hours(4));
  KeepUntil("notebook", After(hours(240)));
  RunFor(hours(72));
  const std::vector<std::string> told = MessagesOf("notebook", "Idle");
  ASSERT_THAT(told, SizeIs(5)) << "first, when it was annotated, and on three more days";
  EXPECT_THAT(told[0], HasSubstr("It will be evicted after " + After(hours(24)) + ","));
  for (std::size_t i = 1; i < told.size(); ++i) {
    EXPECT_THAT(told[i],
                EndsWith(" It stays: its annotation berth.dev/keep-idle-until says so until " +
                         After(hours(240)) + ". It will be evicted after " + After(hours(240)) +
                         ", unless it uses a device until then. To put that off, annotate it with "
                         "berth.dev/keep-idle-until, such as " +
                         After(hours(288)) + "."));
  }
  EXPECT_THAT(MessagesOf("notebook", "NotEvicted"), SizeIs(1));
  RunFor(hours(164) - minutes(10));
  EXPECT_THAT(api_.evicted, IsEmpty());
  RunFor(minutes(20));
  EXPECT_THAT(api_.evicted, ElementsAre("notebook"));
  EXPECT_EQ(Reasons()[api_.events.size() - 2], "notebook Idle");
  EXPECT_EQ(api_.events[api_.events.size() - 2]["firstTimestamp"], After(hours(232)))
      << "that its time has come is no news";
  EXPECT_THAT(TimesAfter("evicted after"), Each(Gt()));
  EXPECT_THAT(TimesAfter("such as"), Each(Gt()));
}

TEST_F(IdlePodsTest, SaysOnEachDayThatTheAnnotationIsNoTime) {
  Add("notebook", true, {{kKeepUntil, "next week"}});
  config_.evict_notebooks_after = hours(24);
  Measure({{"notebook", 0}});
  RunFor(hours(72));
  EXPECT_THAT(MessagesOf("notebook", "Idle"),
              AllOf(SizeIs(4), Each(AllOf(HasSubstr("It stays: its annotation "
                                                    "berth.dev/keep-idle-until is no time"),
                                          Not(HasSubstr("be evicted"))))));
  EXPECT_THAT(MessagesOf("notebook", "NotEvicted"), SizeIs(1)) << "the reason is the same";
  EXPECT_THAT(TimesAfter("such as"), AllOf(SizeIs(5), Each(Gt())));
  KeepUntil("notebook", After(hours(80)));
  RunFor(minutes(10));
  EXPECT_THAT(MessagesOf("notebook", "Idle").back(),
              HasSubstr("It will be evicted after " + After(hours(80)) + ","));
}

TEST_F(IdlePodsTest, SaysOnEachDayThatABudgetIsInTheWay) {
  Add("notebook", true);
  api_.protected_pods = {"notebook"};
  config_.evict_notebooks_after = hours(24);
  Measure({{"notebook", 0}});
  RunFor(hours(72));
  const std::vector<std::string> told = MessagesOf("notebook", "Idle");
  ASSERT_THAT(told, SizeIs(5)) << "on four days, and when it was known";
  for (std::size_t i = 2; i < told.size(); ++i) {
    EXPECT_THAT(told[i], AllOf(HasSubstr("It stays: a PodDisruptionBudget is in the way"),
                               Not(HasSubstr("be evicted"))));
  }
  EXPECT_THAT(MessagesOf("notebook", "NotEvicted"), SizeIs(1));
  api_.protected_pods.clear();
  RunFor(minutes(10));
  EXPECT_THAT(api_.evicted, ElementsAre("notebook"));
}

TEST_F(IdlePodsTest, SaysAgainWhatHoldsAgain) {
  Add("notebook", true);
  config_.evict_notebooks_after = hours(10);
  Measure({{"notebook", 0}});
  for (const int until : {20, 15, 20, 15, 20}) {
    KeepUntil("notebook", After(hours(until)));
    RunFor(minutes(10));
    EXPECT_THAT(LastMessage(), HasSubstr("It will be evicted after " + After(hours(until)) + ","));
  }
  EXPECT_THAT(api_.events, SizeIs(5));
  api_.pods["notebook"]["metadata"]["annotations"].clear();
  RunFor(minutes(10));
  EXPECT_THAT(LastMessage(), HasSubstr("It will be evicted after " + After(hours(10)) + ","));
  EXPECT_THAT(LastMessage(), Not(HasSubstr("It stays")));
}

// An annotation that ends before the grace period does keeps nothing.
TEST_F(IdlePodsTest, SaysTheTimeThatCounts) {
  Add("notebook", true, {{kKeepUntil, After(hours(5))}});
  config_.evict_notebooks_after = hours(10);
  Measure({{"notebook", 0}});
  RunFor(minutes(10));
  EXPECT_THAT(LastMessage(), HasSubstr(" %. It will be evicted after " + After(hours(10)) + ","));
}

TEST_F(IdlePodsTest, SuggestsATimeThatCanBeWritten) {
  Add("notebook", true, {{kKeepUntil, "9999-12-31T12:00:00Z"}});
  config_.evict_notebooks_after = hours(10);
  Measure({{"notebook", 0}});
  RunFor(minutes(10));
  EXPECT_THAT(LastMessage(), AllOf(HasSubstr("It will be evicted after 9999-12-31T12:00:00Z,"),
                                   EndsWith("such as 9999-12-31T23:59:59Z.")));
}

// The day begins while notebooks wait for the limit.
TEST_F(IdlePodsTest, SaysThatNotebooksAreDueThatWaitForTheirTurn) {
  for (const char* name : {"a", "b"}) Add(name, true);
  config_.evict_notebooks_after = hours(16) - minutes(5);
  config_.per_minute = 1;
  Measure({{"a", 0}, {"b", 0}});
  RunFor(hours(16));
  EXPECT_THAT(api_.evicted, ElementsAre("a"));
  RunFor(minutes(5));
  EXPECT_THAT(api_.evicted, ElementsAre("a", "b"));
  EXPECT_THAT(MessagesOf("b", "Idle").back(),
              AllOf(HasSubstr("It has been due to be evicted since " +
                              After(hours(16) - minutes(5)) + ", and goes when possible,"),
                    HasSubstr("such as " + After(hours(64)) + ".")));
}

TEST_F(IdlePodsTest, EvictsOnlySoManyAMinute) {
  for (const char* name : {"a", "b", "c"}) Add(name, true);
  config_.evict_notebooks_after = hours(1);
  config_.per_minute = 1;
  Measure({{"a", 0}, {"b", 0}, {"c", 0}});
  RunFor(minutes(65));
  EXPECT_THAT(api_.evicted, SizeIs(1));
  RunFor(minutes(10));
  EXPECT_THAT(api_.evicted, SizeIs(3));
}

TEST_F(IdlePodsTest, LeavesAPodAloneThatIsNewUnderTheName) {
  Add("notebook", true);
  config_.evict_notebooks_after = hours(1);
  api_.pods["notebook"]["metadata"]["creationTimestamp"] =
      absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::FromChrono(kNow), absl::UTCTimeZone());
  Measure({{"notebook", 0}});
  RunFor(minutes(90));
  EXPECT_THAT(api_.events, IsEmpty());
}

}  // namespace
}  // namespace berth::controller
