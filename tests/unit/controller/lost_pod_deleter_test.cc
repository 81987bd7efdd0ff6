#include "controller/lost_pod_deleter.h"

#include <nlohmann/json.hpp>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/controller/limited_time.h"
#include "tests/unit/controller/lost_pods_fixtures.h"

namespace berth::controller {
namespace {

using nlohmann::json;
using policies::scheduling::kNow;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

constexpr char kJobPath[] = "/apis/batch/v1/namespaces/ml/jobs/train";
constexpr char kNodePath[] = "/api/v1/nodes/gpu-1";
constexpr char kPodPath[] = "/api/v1/namespaces/ml/pods/train-0";

/// An API server with a Job, its pods and their nodes. A pod that is deleted by force stays,
/// because of its Job's finalizer.
class LostWorld final : public kube::Transport {
 public:
  absl::Status Send(const kube::HttpRequest& request, kube::HttpSink& sink) override {
    requests.push_back(std::string(kube::NameOf(request.method)) + " " + request.target);
    bodies.push_back(request.body);
    types.push_back(request.content_type);
    const auto refusal = refusals.find(requests.back());
    const auto found = objects.find(request.target.substr(0, request.target.find("/status")));
    int code = found == objects.end() ? 404 : 200;
    if (refusal != refusals.end()) code = refusal->second;
    const absl::Status head = sink.OnHead({.status = code, .content_type = "application/json"});
    if (!head.ok()) return head;
    return sink.OnBody(code == 200 ? found->second.dump() : R"({"message":"no"})");
  }
  void Stop() override {}

  std::map<std::string, json> objects;
  std::map<std::string, int> refusals;
  std::vector<std::string> requests;
  std::vector<std::string> bodies;
  std::vector<std::string> types;
};

json LostNodeJson(const std::string& since) {
  return {{"metadata", {{"name", "gpu-1"}}},
          {"status",
           {{"conditions",
             json::array({json{
                 {"type", "Ready"}, {"status", "Unknown"}, {"lastTransitionTime", since}}})}}}};
}

json HangingPodJson() {
  return {{"kind", "Pod"},
          {"metadata",
           {{"namespace", "ml"},
            {"name", "train-0"},
            {"uid", "train-0-uid"},
            {"resourceVersion", "42"},
            {"deletionTimestamp", "2027-01-15T07:59:00Z"},
            {"ownerReferences", json::array({json{{"apiVersion", "batch/v1"},
                                                  {"kind", "Job"},
                                                  {"name", "train"},
                                                  {"controller", true}}})}}},
          {"spec", {{"nodeName", "gpu-1"}}},
          {"status", {{"phase", "Running"}}}};
}

json WaitingJobJson() {
  return {
      {"metadata",
       {{"name", "train"}, {"annotations", {{"berth.dev/applied", "creator,job-retries 0.1.0"}}}}},
      {"spec", {{"podReplacementPolicy", "Failed"}}}};
}

class LostPodDeleterTest : public ::testing::Test {
 protected:
  LostPodDeleterTest() {
    api_.objects[kJobPath] = WaitingJobJson();
    api_.objects[kNodePath] = LostNodeJson("2027-01-15T07:40:00Z");
    api_.objects[kPodPath] = HangingPodJson();
    snapshot_->UpsertNode(LostNode(minutes(20)));
    snapshot_->UpsertPod(HangingPod());
  }

  LostPodDeleter::Options Options() {
    // Without a brake, for which a new plan would wait first.
    return {.config = {.force_delete_after = minutes(15), .max_share = 1},
            .applied_annotation = "berth.dev/applied",
            .may_write = [this] { return leads_; },
            .now = [this] { return kNow + later_; }};
  }

  /// Lets it run for so long.
  void RunFor(seconds duration, LostPodDeleter::Options options) {
    time_.end = time_.now + duration;
    LostPodDeleter(std::move(options), snapshot_.get(), &api_, &time_, &record_).Run();
  }
  void RunFor(seconds duration) { RunFor(duration, Options()); }

  std::vector<std::string> Writes() const {
    std::vector<std::string> writes;
    for (const std::string& request : api_.requests) {
      if (!request.starts_with("GET ")) writes.push_back(request);
    }
    return writes;
  }

  std::unique_ptr<cluster::Snapshot> snapshot_ = MakeSnapshot();
  LostWorld api_;
  LimitedTime time_;
  WriteRecord record_;
  bool leads_ = true;
  seconds later_{0};
};

TEST_F(LostPodDeleterTest, DeletesThePodByForceAndReportsItFailed) {
  RunFor(seconds(1));
  ASSERT_THAT(api_.requests,
              ElementsAre(std::string("GET ") + kJobPath, std::string("GET ") + kNodePath,
                          std::string("GET ") + kPodPath, std::string("DELETE ") + kPodPath,
                          std::string("PATCH ") + kPodPath + "/status"));
  EXPECT_EQ(json::parse(api_.bodies[3]),
            json::parse(R"({"apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0,
                            "preconditions": {"uid": "train-0-uid", "resourceVersion": "42"}})"));
  EXPECT_EQ(json::parse(api_.bodies[4]),
            json::parse(R"({"metadata": {"uid": "train-0-uid", "resourceVersion": "42"},
                            "status": {"phase": "Failed", "conditions": [
                              {"type": "DisruptionTarget", "status": "True", "reason": "NodeLost",
                               "message": "Berth: node gpu-1 is lost",
                               "lastTransitionTime": "2027-01-15T08:00:00Z"}]}})"));
  EXPECT_EQ(api_.types[4], "application/strategic-merge-patch+json");
  EXPECT_THAT(record_.written, ElementsAre("lost ml/train-0 of Job train on gpu-1"));
  EXPECT_TRUE(record_.statuses[0].ok()) << record_.statuses[0];
}

// The taint manager, for example, has said already why it deleted the pod.
TEST_F(LostPodDeleterTest, LeavesTheReasonOfADisruptionAsItIs) {
  api_.objects[kPodPath]["status"]["conditions"] = json::array({json{
      {"type", "DisruptionTarget"}, {"status", "True"}, {"reason", "DeletionByTaintManager"}}});
  RunFor(seconds(1));
  ASSERT_THAT(api_.bodies, SizeIs(5));
  EXPECT_EQ(json::parse(api_.bodies[4])["status"], json({{"phase", "Failed"}}));
}

struct LeftAloneCase {
  std::string name;
  std::function<void(LostWorld&)> change;
};

class LeftAloneTable : public LostPodDeleterTest,
                       public ::testing::WithParamInterface<LeftAloneCase> {};

TEST_P(LeftAloneTable, NothingIsWrittenOrReported) {
  GetParam().change(api_);
  RunFor(seconds(20));
  EXPECT_THAT(Writes(), IsEmpty());
  EXPECT_THAT(record_.written, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    All, LeftAloneTable,
    ::testing::Values(
        LeftAloneCase{
            "JobThatBerthLeftAlone",
            [](LostWorld& api) { api.objects[kJobPath]["metadata"].erase("annotations"); }},
        LeftAloneCase{"JobWhoseRetriesAreItsOwn",
                      [](LostWorld& api) {
                        api.objects[kJobPath]["metadata"]["annotations"]["berth.dev/applied"] =
                            "creator,guaranteed-qos job-retries";
                      }},
        LeftAloneCase{"JobThatDoesNotWait",
                      [](LostWorld& api) { api.objects[kJobPath]["spec"].clear(); }},
        LeftAloneCase{"JobThatIsGone", [](LostWorld& api) { api.objects.erase(kJobPath); }},
        LeftAloneCase{"NodeThatIsBack",
                      [](LostWorld& api) {
                        api.objects[kNodePath]["status"]["conditions"][0]["status"] = "True";
                      }},
        LeftAloneCase{
            "NodeThatWasBack",
            [](LostWorld& api) { api.objects[kNodePath] = LostNodeJson("2027-01-15T07:59:00Z"); }},
        LeftAloneCase{"AnotherPodOfTheName",
                      [](LostWorld& api) { api.objects[kPodPath]["metadata"]["uid"] = "another"; }},
        LeftAloneCase{"PodThatHasEnded",
                      [](LostWorld& api) { api.objects[kPodPath]["status"]["phase"] = "Failed"; }},
        LeftAloneCase{
            "PodThatIsNotDeleted",
            [](LostWorld& api) { api.objects[kPodPath]["metadata"].erase("deletionTimestamp"); }},
        LeftAloneCase{"PodThatIsGone", [](LostWorld& api) { api.objects.erase(kPodPath); }}),
    [](const auto& param_info) { return param_info.param.name; });

TEST_F(LostPodDeleterTest, WritesNothingUnlessItLeads) {
  leads_ = false;
  RunFor(minutes(1));
  EXPECT_THAT(api_.requests, IsEmpty());
}

TEST_F(LostPodDeleterTest, DoesNothingByDefault) {
  LostPodDeleter::Options options = Options();
  options.config = LostNodesConfig();
  RunFor(minutes(60), std::move(options));
  EXPECT_THAT(api_.requests, IsEmpty());
}

TEST_F(LostPodDeleterTest, ReadsNothingBeforeTheNodeHasBeenLostForLongEnough) {
  snapshot_->UpsertNode(LostNode(minutes(10)));
  time_.on_wait = [this] { later_ += seconds(5); };
  RunFor(minutes(5) - seconds(5));
  EXPECT_THAT(api_.requests, IsEmpty());
  RunFor(seconds(6));
  EXPECT_THAT(Writes(), SizeIs(2));
}

// Of a list that is not whole nobody knows which share of the nodes is lost.
TEST_F(LostPodDeleterTest, ReadsNothingBeforeNodesAndPodsAreListed) {
  snapshot_ = MakeUnsyncedSnapshot();
  snapshot_->BeginReplace(cluster::Kind::kPods);
  snapshot_->UpsertPod(HangingPod());
  snapshot_->EndReplace(cluster::Kind::kPods);
  snapshot_->BeginReplace(cluster::Kind::kNodes);
  snapshot_->UpsertNode(LostNode(minutes(20)));
  RunFor(minutes(1));
  EXPECT_THAT(api_.requests, IsEmpty());
  snapshot_->EndReplace(cluster::Kind::kNodes);
  RunFor(seconds(1));
  EXPECT_THAT(Writes(), SizeIs(2));
}

TEST_F(LostPodDeleterTest, WatchesBeforeItEndsAnything) {
  LostPodDeleter::Options options = Options();
  options.config.max_share = 0.1;
  RunFor(minutes(15), options);
  EXPECT_THAT(api_.requests, IsEmpty());
  RunFor(minutes(15) + seconds(1), options);
  EXPECT_THAT(Writes(), SizeIs(2));
}

TEST_F(LostPodDeleterTest, HasWatchedWhenItBeginsToLead) {
  LostPodDeleter::Options options = Options();
  options.config.max_share = 0.1;
  leads_ = false;
  const auto begin = time_.now;
  time_.on_wait = [this, begin] { leads_ = time_.now >= begin + minutes(15); };
  RunFor(minutes(15) + seconds(1), options);
  EXPECT_THAT(Writes(), SizeIs(2));
}

TEST_F(LostPodDeleterTest, EndsThirtyPodsAMinuteAtMost) {
  for (int i = 0; i < 100; ++i) {
    const std::string name = "many-" + std::to_string(i);
    json pod = HangingPodJson();
    pod["metadata"]["name"] = name;
    pod["metadata"]["uid"] = name + "-uid";
    api_.objects["/api/v1/namespaces/ml/pods/" + name] = pod;
    snapshot_->UpsertPod(HangingPod("gpu-1", name));
  }
  RunFor(minutes(1));
  EXPECT_THAT(record_.written, SizeIs(30));
}

// Pods of Jobs that Berth has nothing to do with are soon passed over.
TEST_F(LostPodDeleterTest, PodsThatAreLeftAloneDoNotHoldUpTheOthers) {
  for (int i = 0; i < 100; ++i) {
    model::Pod pod = HangingPod("gpu-1", "another-" + std::to_string(i));
    pod.job = "another";
    snapshot_->UpsertPod(pod);
  }
  RunFor(seconds(15));
  EXPECT_THAT(record_.written, ElementsAre(StartsWith("lost ml/train-0")));
}

TEST_F(LostPodDeleterTest, TriesAgainAfterAFailure) {
  api_.refusals[std::string("DELETE ") + kPodPath] = 409;
  time_.on_wait = [this] {
    if (!record_.written.empty()) api_.refusals.clear();
  };
  RunFor(seconds(10));
  ASSERT_THAT(record_.statuses, SizeIs(testing::Ge(2U)));
  EXPECT_TRUE(absl::IsAborted(record_.statuses[0]));
  EXPECT_TRUE(record_.statuses[1].ok());
}

TEST_F(LostPodDeleterTest, SaysWhichRightIsMissing) {
  api_.refusals[std::string("GET ") + kJobPath] = 403;
  RunFor(seconds(1));
  ASSERT_THAT(record_.statuses, SizeIs(1));
  EXPECT_TRUE(absl::IsPermissionDenied(record_.statuses[0]));
  EXPECT_EQ(record_.statuses[0].message(), "no right to get jobs train in namespace ml");
}

// Without a finalizer the pod is gone as soon as it is deleted by force.
TEST_F(LostPodDeleterTest, APodThatIsGoneAtOnceIsNotPatched) {
  api_.objects[kPodPath]["kind"] = "Status";
  RunFor(seconds(1));
  EXPECT_THAT(Writes(), ElementsAre(StartsWith("DELETE ")));
  EXPECT_THAT(record_.statuses, Each(testing::Truly([](const auto& s) { return s.ok(); })));
}

}  // namespace
}  // namespace berth::controller
