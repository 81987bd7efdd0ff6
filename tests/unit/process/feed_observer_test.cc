#include "process/feed_observer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kube/path.h"

namespace berth::process {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(FeedObserver, CountsWhatHappens) {
  server::Metrics metrics;
  FeedObserver nodes("nodes", metrics);
  FeedObserver pods("pods", metrics);
  nodes.OnListed(5);
  nodes.OnWatchEnd(kube::WatchEnd::kExpired);
  nodes.OnWatchEnd(kube::WatchEnd::kExpired);
  pods.OnError(absl::UnavailableError("away"));
  const std::string text = metrics.Exposition();
  EXPECT_THAT(text, HasSubstr("berth_api_lists_total{kind=\"nodes\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("berth_api_lists_total{kind=\"pods\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("berth_watch_restarts_total{cause=\"expired\",kind=\"nodes\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("berth_watch_restarts_total{cause=\"stalled\",kind=\"nodes\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("berth_api_errors_total{kind=\"pods\"} 1\n"));
}

TEST(FeedObserver, LogsErrorsOnceInAWhile) {
  server::Metrics metrics;
  FeedObserver pods("pods", metrics);
  testing::internal::CaptureStderr();
  for (int i = 0; i < 100; ++i) {
    pods.OnError(absl::UnavailableError("error " + std::to_string(i)));
  }
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("\"kind\":\"pods\",\"error\":\"error 0\""));
  EXPECT_THAT(log, Not(HasSubstr("error 1")));
}

TEST(FeedObserver, TellsOfAnObjectThatCannotBeReadOnceAndCountsItAlways) {
  server::Metrics metrics;
  FeedObserver nodes("nodes", metrics);
  testing::internal::CaptureStderr();
  for (int i = 0; i < 3; ++i) {
    nodes.OnUnreadable({.kind = "Node", .name = "gpu-7", .error = "Node.first: odd"});
    nodes.OnUnreadable({.kind = "Node", .name = "gpu-7", .error = "Node.second: odd"});
    nodes.OnUnreadable({.kind = "Node", .name = "gpu-8", .error = "Node.first: odd"});
  }
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 3) << log;
  EXPECT_THAT(log, HasSubstr("\"object\":\"gpu-7\",\"error\":\"Node.second: odd\""));
  EXPECT_THAT(metrics.Exposition(), HasSubstr("berth_api_unreadable_total{kind=\"nodes\"} 9\n"));
}

TEST(FeedObserver, AValueThatChangesIsNoNewsOfAnObjectThatCannotBeRead) {
  const auto lines = [](const std::vector<std::string>& errors) {
    server::Metrics metrics;
    FeedObserver nodes("nodes", metrics);
    testing::internal::CaptureStderr();
    for (const std::string& error : errors) {
      nodes.OnUnreadable({.kind = "Node", .name = "gpu-7", .error = error});
    }
    const std::string log = testing::internal::GetCapturedStderr();
    return std::count(log.begin(), log.end(), '\n');
  };
  const auto error = [](const std::string& resource, const std::string& what) {
    return std::string(kube::Path("Node").Field("capacity").Key(resource).Error(what).message());
  };
  EXPECT_EQ(lines({error("cpu", "\"-1\" is negative"), error("cpu", "\"-2\" is negative")}), 1);
  EXPECT_EQ(lines({error("a: b", "is odd"), error("a: c", "is odd")}), 2);
  EXPECT_EQ(lines({error("a\": b", "is odd"), error("a\": c", "is odd")}), 2);
  EXPECT_EQ(lines({"120 bytes do not decode as Node", "121 bytes do not decode as Node"}), 1);
}

TEST(FeedObserver, KeepsQuietAboutTheOrderlyEndOfAWatch) {
  server::Metrics metrics;
  FeedObserver pods("pods", metrics);
  testing::internal::CaptureStderr();
  pods.OnWatchEnd(kube::WatchEnd::kServer);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  testing::internal::CaptureStderr();
  pods.OnWatchEnd(kube::WatchEnd::kStalled);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("\"cause\":\"stalled\""));
}

}  // namespace
}  // namespace berth::process
