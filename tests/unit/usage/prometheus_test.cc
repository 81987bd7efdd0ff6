#include "usage/prometheus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/usage/fake_prometheus.h"

namespace berth::usage {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Prometheus, EvaluatesQueriesNow) {
  FakePrometheus fake;
  fake.Answer("query=up", FakePrometheus::Series({{"job", "berth"}, {"instance", "a:1"}}, 0.5));
  const auto samples = ClientOf(fake)->Query("up{job=\"berth\"} > 0");
  ASSERT_TRUE(samples.ok()) << samples.status();
  ASSERT_EQ(samples->size(), 1u);
  EXPECT_EQ((*samples)[0].Label("job"), "berth");
  EXPECT_EQ((*samples)[0].Label("instance"), "a:1");
  EXPECT_EQ((*samples)[0].Label("pod"), "");
  EXPECT_DOUBLE_EQ((*samples)[0].value, 0.5);
  EXPECT_THAT(fake.targets, ElementsAre("/api/v1/query?query=up%7Bjob%3D%22berth%22%7D%20%3E%200"
                                        "&timeout=30s"));
}

TEST(Prometheus, LeavesOutWhatIsNoNumber) {
  const auto samples = SamplesFromJson(
      FakePrometheus::Body(R"({"metric":{},"value":[1,"NaN"]},{"metric":{},"value":[1,"+Inf"]})"));
  ASSERT_TRUE(samples.ok()) << samples.status();
  ASSERT_EQ(samples->size(), 1u);
  EXPECT_GT((*samples)[0].value, 1e300);
}

TEST(Prometheus, PassesItsWordsOn) {
  FakePrometheus fake;
  fake.status = 400;
  fake.refusal =
      R"({"status":"error","errorType":"bad_data","error":"1:3: parse error: unexpected end"})";
  const absl::Status bad = ClientOf(fake)->Query("up{").status();
  EXPECT_TRUE(absl::IsInvalidArgument(bad));
  EXPECT_THAT(std::string(bad.message()),
              HasSubstr("Prometheus at http://prometheus:9090: 400: 1:3: parse error: unexpected "
                        "end, to the query up{"));
  fake.status = 403;
  fake.refusal = "<html>Forbidden";
  const absl::Status refused = ClientOf(fake)->Query("up").status();
  EXPECT_TRUE(absl::IsPermissionDenied(refused));
  EXPECT_THAT(std::string(refused.message()), HasSubstr("403: <html>Forbidden"));
}

TEST(Prometheus, PassesOnlyTheBeginningOfManyWordsOn) {
  const std::string words = "too many " + std::string(1 << 20, 'x');
  for (const std::string& refusal : {R"({"status":"error","error":")" + words + "\"}", words}) {
    FakePrometheus fake;
    fake.status = 422;
    fake.refusal = refusal;
    const std::string message(ClientOf(fake)->Query("up").status().message());
    EXPECT_THAT(message, HasSubstr("422: too many xxx"));
    EXPECT_THAT(message, HasSubstr("xxx, to the query up"));
    EXPECT_LT(message.size(), 500U);
  }
}

TEST(Prometheus, IsUnavailableWhateverTheNetworkSays) {
  FakePrometheus fake;
  fake.failure = absl::DeadlineExceededError("no answer within 30 s");
  EXPECT_TRUE(absl::IsUnavailable(ClientOf(fake)->Query("up").status()));
  fake.failure = absl::CancelledError("stopped");
  EXPECT_TRUE(absl::IsCancelled(ClientOf(fake)->Query("up").status()));
}

TEST(Prometheus, SaysWhatCannotBeRead) {
  for (const char* body :
       {"", "[]", "{}", R"({"status":"error"})",
        R"({"status":"success","data":{"resultType":"matrix","result":[]}})",
        R"({"status":"success","data":{"resultType":"vector","result":{}}})",
        R"({"status":"success","data":{"resultType":"vector","result":[{"value":[1,2]}]}})",
        R"({"status":"success","data":{"resultType":"vector","result":[{"value":[1,"x"]}]}})",
        R"({"status":"success","data":{"resultType":"vector","result":[{"metric":[]}]}})"}) {
    const auto samples = SamplesFromJson(body);
    EXPECT_FALSE(samples.ok()) << body;
    EXPECT_FALSE(samples.status().message().empty());
  }
}

// As of Thanos, if it has not reached every store.
TEST(Prometheus, TakesNoPartOfAnAnswerForAllOfIt) {
  const std::string data = R"("data":{"resultType":"vector","result":[]})";
  const auto partial = SamplesFromJson(
      R"({"status":"success","warnings":["store 10.0.0.7: connection refused"],)" + data + "}");
  EXPECT_THAT(std::string(partial.status().message()),
              HasSubstr("not whole: store 10.0.0.7: connection refused"));
  const auto part = SamplesFromJson(R"({"status":"success","isPartial":true,)" + data + "}");
  EXPECT_THAT(std::string(part.status().message()), HasSubstr("not whole"));
  const auto wordy = SamplesFromJson(R"({"status":"success","warnings":[")" +
                                     std::string(5000, 'x') + "\"]," + data + "}");
  EXPECT_LT(wordy.status().message().size(), 500U);
  for (const char* advice : {R"("infos":["metric might not be a counter"],)",
                             R"("warnings":["PromQL info: metric might not be a counter"],)"}) {
    EXPECT_TRUE(SamplesFromJson(R"({"status":"success",)" + std::string(advice) + data + "}").ok());
  }
}

TEST(Prometheus, NeedsAUrl) {
  EXPECT_FALSE(Prometheus::Make({.url = "prometheus:9090"}).ok());
  EXPECT_TRUE(Prometheus::Make({.url = "http://prometheus:9090"}).ok());
}

}  // namespace
}  // namespace berth::usage
