#include "controller/observer.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace berth::controller {
namespace {

using testing::HasSubstr;
using testing::Not;

class ObserverTest : public ::testing::Test {
 protected:
  template <typename Call>
  std::string LogOf(Call call) {
    testing::internal::CaptureStderr();
    call();
    return testing::internal::GetCapturedStderr();
  }

  server::Metrics metrics_;
  Observer observer_{metrics_};
};

TEST_F(ObserverTest, CountsWritesByResult) {
  const std::pair<absl::Status, const char*> cases[] = {
      {absl::OkStatus(), "ok"},
      {absl::NotFoundError("x"), "gone"},
      {absl::AbortedError("x"), "conflict"},
      {absl::PermissionDeniedError("x"), "forbidden"},
      {absl::UnavailableError("x"), "failed"},
      {absl::InvalidArgumentError("x"), "failed"},
  };
  LogOf([&] {
    for (const auto& [status, result] : cases) {
      observer_.OnWritten(Write::kNodeLabel, "node-1", "V100", status);
    }
  });
  const std::string text = metrics_.Exposition();
  for (const auto& [status, result] : cases) {
    const int count = std::string(result) == "failed" ? 2 : 1;
    EXPECT_THAT(text, HasSubstr("berth_controller_writes_total{result=\"" + std::string(result) +
                                "\",write=\"node_label\"} " + std::to_string(count) + "\n"));
    EXPECT_THAT(text, HasSubstr("berth_controller_writes_total{result=\"" + std::string(result) +
                                "\",write=\"nudge\"} 0\n"));
  }
}

TEST_F(ObserverTest, SaysWhichRightIsMissing) {
  const std::string log = LogOf([&] {
    observer_.OnWritten(Write::kNudge, "ml/train", "now", absl::PermissionDeniedError("403: no"));
  });
  EXPECT_THAT(log, HasSubstr("\"level\":\"error\""));
  EXPECT_THAT(log, HasSubstr("needs verb patch on pods; `berth controller --rbac`"));
  EXPECT_THAT(log, HasSubstr("\"object\":\"ml/train\""));
}

TEST_F(ObserverTest, SaysWhichRightIsMissingForCertificates) {
  const std::string log = LogOf([&] {
    observer_.OnWritten(Write::kSecret, "ml/a-tls", "is due", absl::PermissionDeniedError("403"));
  });
  EXPECT_THAT(log, HasSubstr("needs verb create and update on secrets"));
  EXPECT_THAT(LogOf([&] { observer_.OnWritten(Write::kSecret, "ml/a", "x", absl::OkStatus()); }),
              HasSubstr("\"msg\":\"wrote a Secret\",\"object\":\"ml/a\",\"value\":\"x\""));
}

TEST_F(ObserverTest, SaysWhichTaintWasChanged) {
  const std::string log = LogOf([&] {
    observer_.OnWritten(Write::kNodeTaint, "gpu-1", "berth.dev/excluded:NoSchedule-",
                        absl::OkStatus());
  });
  EXPECT_THAT(log, HasSubstr("\"msg\":\"changed the taint of a node\",\"object\":\"gpu-1\","
                             "\"value\":\"berth.dev/excluded:NoSchedule-\""));
  EXPECT_THAT(metrics_.Exposition(),
              HasSubstr("berth_controller_writes_total{result=\"ok\",write=\"node_taint\"} 1\n"));
}

TEST_F(ObserverTest, SaysWhichRightIsMissingToKeepRoomForGangs) {
  const std::string log = LogOf(
      [&] { observer_.OnWritten(Write::kKept, "gpu-1", "", absl::PermissionDeniedError("403")); });
  EXPECT_THAT(log, HasSubstr("needs verb patch on nodes; `berth controller --rbac`"));
  EXPECT_THAT(metrics_.Exposition(),
              HasSubstr("berth_controller_writes_total{result=\"forbidden\",write=\"kept\"} 1\n"));
}

TEST_F(ObserverTest, SaysWhichPodWasEndedOnALostNode) {
  const std::string log = LogOf([&] {
    observer_.OnWritten(Write::kLostPod, "ml/train-0", "of Job train on gpu-1", absl::OkStatus());
  });
  EXPECT_THAT(log, HasSubstr("\"level\":\"info\""));
  EXPECT_THAT(log, HasSubstr("\"msg\":\"force-deleted a pod on a lost node\","
                             "\"object\":\"ml/train-0\",\"value\":\"of Job train on gpu-1\""));
  EXPECT_THAT(metrics_.Exposition(),
              HasSubstr("berth_controller_writes_total{result=\"ok\",write=\"lost_pod\"} 1\n"));
}

TEST_F(ObserverTest, KeepsQuietAboutObjectsThatAreGone) {
  EXPECT_EQ(LogOf([&] {
              observer_.OnWritten(Write::kNodeLabel, "n", "V100", absl::NotFoundError("404"));
              observer_.OnWritten(Write::kNudge, "n", "now", absl::AbortedError("409"));
            }),
            "");
}

TEST_F(ObserverTest, WritesFailuresOnceInAWhile) {
  const std::string log = LogOf([&] {
    for (int i = 0; i < 50; ++i) {
      const std::string text = "try " + std::to_string(i);
      observer_.OnWritten(Write::kNodeLabel, "n", "V100", absl::UnavailableError(text));
      observer_.OnError(absl::UnavailableError("lease " + text));
    }
  });
  EXPECT_THAT(log, HasSubstr("\"error\":\"try 0\""));
  EXPECT_THAT(log, HasSubstr("\"error\":\"lease try 0\""));
  EXPECT_THAT(log, Not(HasSubstr("try 1")));
  EXPECT_THAT(metrics_.Exposition(), HasSubstr("berth_controller_lease_errors_total 50\n"));
}

TEST_F(ObserverTest, LogsWhoLeads) {
  EXPECT_THAT(LogOf([&] { observer_.OnLeading(true); }), HasSubstr("\"msg\":\"leading\""));
  EXPECT_THAT(LogOf([&] { observer_.OnLeading(false); }),
              HasSubstr("\"level\":\"warning\",\"msg\":\"no longer leading\""));
  EXPECT_THAT(LogOf([&] { observer_.OnLeader("host_1"); }), HasSubstr("\"holder\":\"host_1\""));
  EXPECT_THAT(LogOf([&] { observer_.OnLeader(""); }), HasSubstr("nobody holds the lease"));
}

}  // namespace
}  // namespace berth::controller
