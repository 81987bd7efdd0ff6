#include "cli/report_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/unit/report/fixture.h"

namespace berth::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Key;
using testing::SizeIs;

/// An API server that answers by what stands before the first '&' or by the whole target.
class PagedServer final : public kube::Transport {
 public:
  absl::Status Send(const kube::HttpRequest& request, kube::HttpSink& sink) override {
    targets.push_back(request.target);
    const auto found = replies.find(request.target);
    const bool granted = found != replies.end();
    const auto expired = new_tokens.find(request.target);
    const bool is_expired = expired != new_tokens.end();
    absl::Status status = sink.OnHead({.status = granted      ? 200
                                                 : is_expired ? 410
                                                              : 403,
                                       .content_type = content_type});
    const std::string body =
        granted      ? found->second
        : is_expired ? R"({"kind": "Status", "message": "too old", "metadata": {"continue": ")" +
                           expired->second + "\"}}"
                     : R"({"kind": "Status", "message": "jobs is forbidden"})";
    // As a network splits it.
    for (std::size_t at = 0; status.ok() && at < body.size(); at += 50) {
      status = sink.OnBody(std::string_view(body).substr(at, 50));
    }
    return status;
  }
  void Stop() override {}

  std::string content_type = "application/json";
  std::map<std::string, std::string> replies;
  // Of requests that are refused because their tokens are too old.
  std::map<std::string, std::string> new_tokens;
  std::vector<std::string> targets;
};

class SurveyClusterTest : public testing::Test {
 protected:
  static std::string Page(const std::string& kind, const std::string& api_version,
                          const std::string& items, const std::string& next = "") {
    return R"({"kind":")" + kind + R"(List","apiVersion":")" + api_version +
           R"(","metadata":{"continue":")" + next + R"("},"items":[)" + items + "]}";
  }

  const report::Engines engines_;
  const report::Judge judge_ = engines_.MakeJudge();
  report::Survey survey_{engines_.catalog};
  PagedServer server_;
};

TEST_F(SurveyClusterTest, ReadsPageAfterPage) {
  const std::string pod = R"("namespace":"t"},"spec":{"containers":[{"name":"x"}]}})";
  server_.replies = {
      {"/api/v1/nodes?limit=500", Page("Node", "v1", R"({"metadata":{"name":"n"}})")},
      {"/api/v1/namespaces?limit=500", Page("Namespace", "v1", "")},
      {"/api/v1/pods?limit=500", Page("Pod", "v1", R"({"metadata":{"name":"a",)" + pod, "2nd")},
      {"/api/v1/pods?limit=500&continue=2nd",
       Page("Pod", "v1", R"({"metadata":{"name":"b",)" + pod)},
      {"/apis/batch/v1/jobs?limit=500", Page("Job", "batch/v1", "")},
      {"/apis/batch/v1/cronjobs?limit=500", Page("CronJob", "batch/v1", "")}};
  const auto notes = SurveyCluster(server_, "", judge_, survey_);
  ASSERT_TRUE(notes.ok()) << notes.status();
  EXPECT_THAT(*notes, SizeIs(0));
  EXPECT_EQ(survey_.node_count(), 1U);
  EXPECT_THAT(survey_.records(), SizeIs(2));
  EXPECT_THAT(server_.targets, SizeIs(6));
}

// The pages of a large cluster take longer than the API server keeps what is too old.
TEST_F(SurveyClusterTest, GoesOnWithAListWhoseBeginningIsTooOld) {
  const std::string pod = R"("namespace":"t"},"spec":{"containers":[{"name":"x"}]}})";
  server_.replies = {
      {"/api/v1/pods?limit=500", Page("Pod", "v1", R"({"metadata":{"name":"a",)" + pod, "old")},
      {"/api/v1/pods?limit=500&continue=new",
       Page("Pod", "v1", R"({"metadata":{"name":"b",)" + pod)}};
  server_.new_tokens = {{"/api/v1/pods?limit=500&continue=old", "new"}};
  EXPECT_TRUE(SurveyCluster(server_, "", judge_, survey_).ok());
  EXPECT_THAT(survey_.records(), SizeIs(2));
  server_.new_tokens = {{"/api/v1/pods?limit=500&continue=old", "old"}};
  EXPECT_THAT(std::string(SurveyCluster(server_, "", judge_, survey_).status().message()),
              HasSubstr("410 too old"));
}

TEST_F(SurveyClusterTest, SaysWhatItMayNotSee) {
  server_.replies = {{"/api/v1/nodes?limit=500", Page("Node", "v1", "")},
                     {"/api/v1/namespaces?limit=500", Page("Namespace", "v1", "")},
                     {"/api/v1/pods?limit=500", Page("Pod", "v1", "")},
                     {"/apis/batch/v1/cronjobs?limit=500", Page("CronJob", "batch/v1", "")}};
  const auto notes = SurveyCluster(server_, "", judge_, survey_);
  ASSERT_TRUE(notes.ok()) << notes.status();
  EXPECT_THAT(*notes, ElementsAre("Jobs could not be listed: GET /apis/batch/v1/jobs: 403 jobs is "
                                  "forbidden"));
}

TEST_F(SurveyClusterTest, NeedsPods) {
  const auto notes = SurveyCluster(server_, "", judge_, survey_);
  EXPECT_THAT(std::string(notes.status().message()), HasSubstr("GET /api/v1/pods: 403"));
}

TEST_F(SurveyClusterTest, TakesNoPageOfAProxyForAList) {
  server_.content_type = "text/html";
  server_.replies = {{"/api/v1/pods?limit=500", "<html>Log in"}};
  const absl::Status status = SurveyCluster(server_, "", judge_, survey_).status();
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("GET /api/v1/pods: "));
}

TEST_F(SurveyClusterTest, AnAnswerThatCannotBeReadIsNoWrongUsage) {
  server_.replies = {{"/api/v1/pods?limit=500", R"({"kind":"PodList","items":[)"}};
  EXPECT_TRUE(absl::IsUnavailable(SurveyCluster(server_, "", judge_, survey_).status()));
}

// As for somebody who has rights in one namespace alone.
TEST_F(SurveyClusterTest, AsksForOneNamespaceAlone) {
  const std::string pod = R"("namespace":"t"},"spec":{"containers":[{"name":"x"}]}})";
  server_.replies = {
      {"/api/v1/namespaces/t?limit=500", report::NamespaceJson("t")},
      {"/api/v1/namespaces/t/pods?limit=500",
       Page("Pod", "v1", R"({"metadata":{"name":"a",)" + pod)},
      {"/apis/batch/v1/namespaces/t/jobs?limit=500", Page("Job", "batch/v1", "")},
      {"/apis/batch/v1/namespaces/t/cronjobs?limit=500", Page("CronJob", "batch/v1", "")}};
  const auto notes = SurveyCluster(server_, "t", engines_.MakeJudge({}, "t"), survey_);
  ASSERT_TRUE(notes.ok()) << notes.status();
  EXPECT_THAT(*notes, ElementsAre(HasSubstr("Nodes could not be listed: GET /api/v1/nodes: 403")));
  EXPECT_THAT(survey_.records(), SizeIs(1));
  EXPECT_THAT(survey_.labels(), ElementsAre(Key("t")));
}

}  // namespace
}  // namespace berth::cli
