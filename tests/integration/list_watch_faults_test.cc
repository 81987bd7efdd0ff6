// Whatever goes wrong, the snapshot ends up as the server has it, and stopping is prompt.
#include <optional>

#include "tests/integration/list_watch_fixture.h"

namespace berth::cluster {
namespace {

/// One fault in one request, and then the truth.
struct FaultCase {
  const char* name;
  FakeRequest request;
  FakeFault fault;
  int skip = 0;
  /// Lists that end, of the kind in question.
  std::size_t lists = 1;
};

class Faults : public ListWatchTest, public ::testing::WithParamInterface<FaultCase> {};

TEST_P(Faults, EndWithTheTruth) {
  const FaultCase& c = GetParam();
  StartServer();
  server_->Fail(c.request, c.fault, c.skip);
  if (c.fault.kind == FaultKind::kSilence) timeouts_.head = seconds(1);
  StartFeed();
  ExpectContents(AtFirst());
  ExpectAlive();
  const bool nodes = c.request == FakeRequest::kListNodes || c.request == FakeRequest::kWatchNodes;
  const Record& record = nodes ? nodes_ : pods_;
  EXPECT_EQ(record.errors().size(), 1u);
  EXPECT_EQ(record.listed().size(), c.lists);
  EXPECT_TRUE((nodes ? pods_ : nodes_).errors().empty());
}

constexpr FakeRequest kListNodes = FakeRequest::kListNodes;
constexpr FakeRequest kListPods = FakeRequest::kListPods;
constexpr FakeRequest kWatchNodes = FakeRequest::kWatchNodes;
constexpr FakeRequest kWatchPods = FakeRequest::kWatchPods;

INSTANTIATE_TEST_SUITE_P(
    OneFault, Faults,
    ::testing::Values(
        FaultCase{"ListError", kListNodes, {.code = 500}},
        FaultCase{"ListErrorOnPage2", kListNodes, {.code = 503}, 1},
        FaultCase{"ListExpiredOnPage2", kListPods, {.code = 410, .reason = "Expired"}, 1},
        FaultCase{"ListExpiredOnPage3", kListNodes, {.code = 410, .reason = "Expired"}, 2},
        FaultCase{"ListTooMany",
                  kListNodes,
                  {.code = 429, .reason = "TooManyRequests", .retry_after_seconds = 1}},
        FaultCase{"ListSilence", kListNodes, {.kind = FaultKind::kSilence}},
        FaultCase{"ListCut", kListNodes, {.kind = FaultKind::kCut}},
        FaultCase{"ListCutOnPage2", kListPods, {.kind = FaultKind::kCut}, 1},
        FaultCase{"ListGarbage", kListPods, {.kind = FaultKind::kGarbage}},
        FaultCase{"ListGarbageOnPage3", kListPods, {.kind = FaultKind::kGarbage}, 2},
        FaultCase{"ListWrongType", kListNodes, {.kind = FaultKind::kWrongType}},
        FaultCase{"WatchError", kWatchNodes, {.code = 500}},
        FaultCase{"WatchForbidden", kWatchPods, {.code = 403, .reason = "Forbidden"}},
        FaultCase{"WatchBadRequest", kWatchPods, {.code = 400, .reason = "BadRequest"}, 0, 2},
        FaultCase{"WatchExpired", kWatchNodes, {.code = 410, .reason = "Expired"}, 0, 2},
        FaultCase{"WatchExpiredByEvent",
                  kWatchNodes,
                  {.kind = FaultKind::kErrorEvent, .code = 410, .reason = "Expired"},
                  0,
                  2},
        FaultCase{"WatchErrorEvent", kWatchPods, {.kind = FaultKind::kErrorEvent, .code = 500}},
        FaultCase{"WatchTooMany",
                  kWatchPods,
                  {.code = 429, .reason = "TooManyRequests", .retry_after_seconds = 1}},
        FaultCase{"WatchSilence", kWatchNodes, {.kind = FaultKind::kSilence}},
        FaultCase{"WatchCutInAnEvent", kWatchNodes, {.kind = FaultKind::kCut}},
        FaultCase{"WatchGarbage", kWatchPods, {.kind = FaultKind::kGarbage}, 0, 2},
        FaultCase{"WatchWrongType", kWatchNodes, {.kind = FaultKind::kWrongType}, 0, 2},
        FaultCase{"WatchEndsAtOnce", kWatchNodes, {.kind = FaultKind::kEnd}}),
    [](const auto& fault) { return fault.param.name; });

TEST_F(ListWatchTest, RetryAfterIsHonoured) {
  StartServer();
  server_->Fail(kListNodes, {.code = 429, .reason = "TooManyRequests", .retry_after_seconds = 2});
  const auto begin = std::chrono::steady_clock::now();
  StartFeed();
  ExpectContents(AtFirst());
  EXPECT_EQ(nodes_.waits(), std::vector<milliseconds>{seconds(2)});
  EXPECT_GE(std::chrono::steady_clock::now() - begin, seconds(2));
}

TEST_F(ListWatchTest, ReadersNeverSeeAClusterThatIsListedHalf) {
  StartBoth();
  server_->Fail(kListNodes, {.kind = FaultKind::kSilentBody}, 1);
  server_->Pause();
  server_->Put(MakeNode("n1", 7));
  server_->Compact();
  server_->Resume();
  ASSERT_TRUE(server_->AwaitCount(kListNodes, 5)) << "the second page of the second list";
  EXPECT_EQ(Have().size(), 5u);
}

struct StopCase {
  const char* name;
  FakeApiServer::Options options;
  /// What is always answered so, before the feed is stopped.
  std::optional<std::pair<FakeRequest, FakeFault>> fault;
  /// The request after which it is stopped.
  std::optional<FakeRequest> request;
};

class Stopping : public ListWatchTest, public ::testing::WithParamInterface<StopCase> {};

TEST_P(Stopping, IsPrompt) {
  const StopCase& c = GetParam();
  StartServer(c.options);
  if (c.fault) server_->FailAlways(c.fault->first, c.fault->second);
  StartFeed();
  if (c.request) {
    ASSERT_TRUE(server_->AwaitCount(*c.request, 1));
  } else {
    ASSERT_TRUE(Await([&] { return server_->connections() == 2; }));
  }
  ExpectStopsPromptly();
  feed_->Stop();  // again, which is no harm
}

INSTANTIATE_TEST_SUITE_P(
    InEveryPhase, Stopping,
    ::testing::Values(
        StopCase{"Handshake", {.hang_in_handshake = true}, {}, {}},
        StopCase{"Reply", {}, {{kListNodes, {.kind = FaultKind::kSilence}}}, kListNodes},
        StopCase{"Page", {}, {{kListNodes, {.kind = FaultKind::kSilentBody}}}, kListNodes},
        StopCase{"WatchReply", {}, {{kWatchPods, {.kind = FaultKind::kSilence}}}, kWatchPods},
        StopCase{"Watch", {}, {}, kWatchPods},
        StopCase{"Backoff",
                 {},
                 {{kListNodes, {.code = 429, .reason = "x", .retry_after_seconds = 60}}},
                 kListNodes}),
    [](const auto& fault) { return fault.param.name; });

TEST_F(ListWatchTest, StopsWhileItConnectsInVain) {
  StartServer();
  server_->Pause();
  StartFeed();
  ASSERT_TRUE(Await([&] { return !nodes_.errors().empty(); }));
  EXPECT_NE(nodes_.errors()[0].find("onnection refused"), std::string::npos) << nodes_.errors()[0];
  ExpectStopsPromptly();
}

TEST_F(ListWatchTest, StopsBeforeItStarted) {
  StartServer();
  Feed feed({.api = server_->Config()}, &snapshot_, &nodes_, &pods_);
  feed.Stop();
}

}  // namespace
}  // namespace berth::cluster
