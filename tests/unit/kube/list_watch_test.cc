#include "kube/list_watch.h"

#include <deque>
#include <functional>

#include "gtest/gtest.h"
#include "tests/integration/fake_objects.h"

namespace berth::kube {
namespace {

using berth::testing::EncodeBookmark;
using berth::testing::EncodeFrame;
using berth::testing::EncodeList;
using berth::testing::EncodeObject;
using berth::testing::EncodeStatus;
using berth::testing::Envelope;
using std::chrono::milliseconds;
using std::chrono::seconds;

model::Node MakeNode(const std::string& name) {
  model::Node node;
  node.name = name;
  return node;
}

/// One scripted reply; `body` is given in these pieces, then `end` is returned.
struct Reply {
  HttpHead head{.status = 200, .content_type = kProtobufType};
  std::vector<std::string> pieces;
  absl::Status end;
  /// How long it takes.
  milliseconds takes{0};
};

/// Time that passes only when somebody waits.
class FakeWaiter final : public Timer {
 public:
  Clock::time_point Now() const override { return now_; }
  bool Wait(milliseconds duration) override {
    waits.push_back(duration);
    now_ += duration;
    return !stopped_;
  }
  void Stop() override { stopped_ = true; }
  void Pass(milliseconds duration) { now_ += duration; }

  std::vector<milliseconds> waits;

 private:
  Clock::time_point now_;
  bool stopped_ = false;
};

/// Gives one reply after the other, and is stopped after the last.
class FakeTransport final : public Transport {
 public:
  explicit FakeTransport(FakeWaiter* timer) : timer_(timer) {}

  absl::Status Send(const HttpRequest& request, HttpSink& sink) override {
    if (replies.empty()) return absl::CancelledError("stopped");
    requests.push_back(request);
    const Reply reply = std::move(replies.front());
    replies.pop_front();
    timer_->Pass(reply.takes);
    if (reply.head.status == 0) return reply.end;
    absl::Status status = sink.OnHead(reply.head);
    for (const std::string& piece : reply.pieces) {
      if (status.ok()) status = sink.OnBody(piece);
    }
    return status.ok() ? reply.end : status;
  }
  void Stop() override { replies.clear(); }

  std::deque<Reply> replies;
  std::vector<HttpRequest> requests;

 private:
  FakeWaiter* const timer_;
};

/// Writes down what it is told, one word each.
class Story final : public ListWatchHandler<model::Node>, public ListWatchObserver {
 public:
  void OnReplaceBegin() override { Tell("begin"); }
  void OnReplaceEnd(const std::string& resource_version) override {
    Tell("end");
    versions.push_back("end:" + resource_version);
  }
  void OnUpsert(model::Node node) override { Tell("+" + node.name); }
  void OnDelete(model::Node node) override { Tell("-" + node.name); }
  // Of both interfaces.
  void OnUnreadable(const UnreadableObject& object) override { Tell("?" + object.name); }
  void OnHeard(const std::string& resource_version) override {
    versions.push_back(resource_version);
  }
  void OnListed(std::size_t items) override { Tell("listed:" + std::to_string(items)); }
  void OnWatchEnd(WatchEnd end) override { Tell("ended:" + std::string(NameOf(end))); }
  void OnError(const absl::Status& error) override { errors.emplace_back(error.message()); }
  void OnBackoff(milliseconds) override { Tell("backoff"); }

  std::string text;
  std::vector<std::string> errors;
  /// Of every call that has one.
  std::vector<std::string> versions;

 private:
  void Tell(const std::string& word) { text += (text.empty() ? "" : " ") + word; }
};

class ListWatchUnit : public ::testing::Test {
 protected:
  void Page(const std::vector<std::string>& names, const std::string& version = "10",
            const std::string& next = "") {
    std::vector<std::string> items;
    for (const std::string& name : names) items.push_back(EncodeObject(MakeNode(name), "1"));
    Push({.pieces = {EncodeList("NodeList", items, version, next)}});
  }

  static std::string Event(const char* type, const std::string& name, const std::string& version) {
    return EncodeFrame(type, Envelope("Node", EncodeObject(MakeNode(name), version)));
  }

  /// A node that breaks off right after its metadata, or within them.
  static std::string Broken(const std::string& name, const std::string& version, int missing = 1) {
    model::Node node = MakeNode(name);
    node.capacity.Set("nvidia.com/gpu", 8);
    const std::string whole = EncodeObject(node, version);
    return whole.substr(0, whole.size() - static_cast<std::size_t>(missing));
  }

  static std::string BrokenEvent(const char* type, const std::string& bytes) {
    return EncodeFrame(type, Envelope("Node", bytes));
  }

  static std::string Bookmark(const std::string& version, bool initial_events_end) {
    return EncodeFrame("BOOKMARK", Envelope("Node", EncodeBookmark(version, initial_events_end)));
  }

  void Push(Reply reply) { transport_.replies.push_back(std::move(reply)); }
  void Refuse(int code, int retry_after = 0) {
    Push({.head = {.status = code, .retry_after = seconds(retry_after)},
          .pieces = {EncodeStatus(code, "Reason", 0)}});
  }
  /// A watch that ends in good order after some minutes.
  void Watch(std::vector<std::string> frames) {
    Push({.pieces = std::move(frames), .takes = std::chrono::minutes(6)});
  }

  const std::string& Run() {
    ListWatchOptions options;
    options.path = "/api/v1/nodes";
    options.watch_list = watch_list_;
    ListWatch<model::Node> list_watch(options, &transport_, &timer_, &story_, &story_);
    list_watch.Run();
    return story_.text;
  }

  std::string VersionOf(std::size_t request) const {
    const std::string& target = transport_.requests[request].target;
    const std::size_t begin = target.find("resourceVersion=");
    if (begin == std::string::npos) return "";
    return target.substr(begin + 16, target.find('&', begin) - begin - 16);
  }

  bool watch_list_ = false;
  FakeWaiter timer_;
  FakeTransport transport_{&timer_};
  Story story_;
};

TEST_F(ListWatchUnit, PagesAreOneList) {
  Page({"a", "b"}, "10", "token");
  Page({"c"}, "10");
  EXPECT_EQ(Run(), "begin +a +b +c end listed:3");
  EXPECT_EQ(transport_.requests[0].target, "/api/v1/nodes?limit=500");
  EXPECT_EQ(transport_.requests[1].target, "/api/v1/nodes?limit=500&continue=token");
  EXPECT_EQ(transport_.requests[0].accept, "application/vnd.kubernetes.protobuf");
  EXPECT_EQ(story_.versions, (std::vector<std::string>{"", "", "end:10"}));
}

TEST_F(ListWatchUnit, APageMayBeCutAnywhere) {
  const std::string page = EncodeList(
      "NodeList", {EncodeObject(MakeNode("a"), "1"), EncodeObject(MakeNode("b"), "1")}, "10", "");
  for (std::size_t cut = 0; cut <= page.size(); ++cut) {
    story_.text.clear();
    Push({.pieces = {page.substr(0, cut), page.substr(cut)}});
    EXPECT_EQ(Run(), "begin +a +b end listed:2") << cut;
  }
}

// Objects are told as they come: what has come of a page that breaks off is told again with it.
// The first page is then that of another revision, perhaps, in which some of them are no more.
TEST_F(ListWatchUnit, AFirstPageThatBreaksOffBeginsTheListAnew) {
  const std::string page = EncodeList(
      "NodeList", {EncodeObject(MakeNode("a"), "1"), EncodeObject(MakeNode("b"), "1")}, "10", "");
  Push({.pieces = {page.substr(0, page.size() - 1)}, .end = absl::UnavailableError("reset")});
  Page({"b"}, "20");
  EXPECT_EQ(Run(), "begin +a backoff begin +b end listed:1");
  EXPECT_EQ(story_.versions, (std::vector<std::string>{"", "end:20"}));
}

TEST_F(ListWatchUnit, ALaterPageThatBreaksOffIsReadAgain) {
  const std::string page = EncodeList(
      "NodeList", {"\xff", EncodeObject(MakeNode("b"), "1"), EncodeObject(MakeNode("c"), "1")},
      "10", "");
  Page({"a"}, "10", "token");
  Push({.pieces = {page.substr(0, page.size() - 1)}, .end = absl::UnavailableError("reset")});
  Push({.pieces = {page}});
  EXPECT_EQ(Run(), "begin +a +b backoff +b +c ? ? end listed:4");
  EXPECT_EQ(transport_.requests[2].target, "/api/v1/nodes?limit=500&continue=token");
}

TEST_F(ListWatchUnit, APageOfAnotherKindIsGarbage) {
  Push({.pieces = {EncodeList("PodList", {}, "10", "")}});
  Push({.head = {.status = 200, .content_type = "text/html"}, .pieces = {"<html>"}});
  Page({"a"});
  EXPECT_EQ(Run(), "backoff backoff begin +a end listed:1");
  EXPECT_EQ(story_.errors[0], "GET /api/v1/nodes: expected a NodeList, got a \"PodList\"");
  EXPECT_EQ(story_.errors[1],
            "GET /api/v1/nodes: answered as \"text/html\" instead of "
            "application/vnd.kubernetes.protobuf; is this a Kubernetes API server?");
}

TEST_F(ListWatchUnit, EventsFollowTheList) {
  Page({"a"}, "10");
  Watch({Event("ADDED", "b", "11") + Event("MODIFIED", "a", "12"), Event("DELETED", "b", "13")});
  Watch({});
  EXPECT_EQ(Run(), "begin +a end listed:1 +b +a -b ended:server ended:server");
  EXPECT_EQ(VersionOf(1), "10");
  EXPECT_EQ(VersionOf(2), "13");
  EXPECT_EQ(transport_.requests[1].accept, "application/vnd.kubernetes.protobuf;stream=watch");
  EXPECT_EQ(transport_.requests[1].silence, std::chrono::minutes(3));
  EXPECT_TRUE(timer_.waits.empty()) << "an orderly end is no failure";
}

TEST_F(ListWatchUnit, TellsHowFarItHasCome) {
  Page({"a"}, "10");
  Watch({Event("ADDED", "b", "11"), Bookmark("20", false)});
  Watch({});
  Run();
  // The page, the list, the watch, its event, its bookmark, and the watch that goes on after it.
  const std::vector<std::string> want = {"", "end:10", "10", "11", "20", "20"};
  EXPECT_EQ(story_.versions, want);
}

TEST_F(ListWatchUnit, FramesMayBeCutAnywhere) {
  const std::string frames = Event("ADDED", "b", "11") + Event("DELETED", "a", "12");
  for (std::size_t cut = 0; cut <= frames.size(); ++cut) {
    story_.text.clear();
    Page({"a"}, "10");
    Watch({frames.substr(0, cut), frames.substr(cut)});
    EXPECT_EQ(Run(), "begin +a end listed:1 +b -a ended:server") << cut;
  }
}

TEST_F(ListWatchUnit, BookmarksMoveTheVersionOnAndChangeNothing) {
  Page({"a"}, "10");
  Watch({Event("BOOKMARK", "", "20")});
  Watch({});
  EXPECT_EQ(Run(), "begin +a end listed:1 ended:server ended:server");
  EXPECT_EQ(VersionOf(2), "20");
}

TEST_F(ListWatchUnit, ALostConnectionGoesOnAfterTheLastWholeEvent) {
  const std::string last = Event("ADDED", "c", "12");
  Page({"a"}, "10");
  Push({.pieces = {Event("ADDED", "b", "11"), last.substr(0, last.size() - 1)},
        .end = absl::UnavailableError("reset")});
  Watch({last});
  EXPECT_EQ(Run(), "begin +a end listed:1 +b ended:connection backoff +c ended:server");
  EXPECT_EQ(VersionOf(2), "11");
}

TEST_F(ListWatchUnit, AnEndWithinAnEventIsALostConnection) {
  Page({"a"}, "10");
  Watch({Event("ADDED", "b", "11").substr(0, 9)});
  EXPECT_EQ(Run(), "begin +a end listed:1 ended:connection backoff");
}

TEST_F(ListWatchUnit, SilenceIsAStallOnlyOnceTheWatchIsGranted) {
  Page({});
  Push({.end = absl::DeadlineExceededError("silence")});
  Push({.head = {.status = 0}, .end = absl::DeadlineExceededError("no reply")});
  EXPECT_EQ(Run(), "begin end listed:0 ended:stalled backoff ended:connection backoff");
}

TEST_F(ListWatchUnit, AnExpiredContinueTokenBeginsTheListAgain) {
  Page({"a"}, "10", "token");
  Refuse(410);
  Page({"b"}, "20");
  EXPECT_EQ(Run(), "begin +a backoff begin +b end listed:1");
  EXPECT_EQ(transport_.requests[2].target, "/api/v1/nodes?limit=500");
}

TEST_F(ListWatchUnit, APageThatFailsForOtherReasonsIsAskedForAgain) {
  Page({"a"}, "10", "token");
  Refuse(503);
  Push({.head = {.status = 0}, .end = absl::UnavailableError("reset")});
  Page({"b"}, "10");
  EXPECT_EQ(Run(), "begin +a backoff backoff +b end listed:2");
  EXPECT_EQ(transport_.requests[3].target, "/api/v1/nodes?limit=500&continue=token");
}

TEST_F(ListWatchUnit, RetryAfterIsHonouredWithinReason) {
  Refuse(429, 42);
  Refuse(429, 1000000);
  Run();
  EXPECT_EQ(timer_.waits, (std::vector<milliseconds>{seconds(42), std::chrono::minutes(5)}));
}

TEST_F(ListWatchUnit, WaitsGrowUntilAWatchTellsSomething) {
  for (int i = 0; i < 6; ++i) Refuse(500);
  Page({});
  Refuse(500);
  Watch({Event("ADDED", "a", "11")});
  Refuse(500);
  Run();
  ASSERT_EQ(timer_.waits.size(), 8u);
  EXPECT_GE(timer_.waits[5], seconds(8));
  EXPECT_GE(timer_.waits[6], seconds(15)) << "a list alone is no reason for haste";
  EXPECT_LE(timer_.waits[7], milliseconds(500));
}

TEST_F(ListWatchUnit, AServerThatEndsEveryWatchAtOnceIsNotHammered) {
  Page({});
  for (int i = 0; i < 5; ++i) Push({});
  Run();
  ASSERT_EQ(timer_.waits.size(), 5u);
  EXPECT_GE(timer_.waits[4], seconds(4));
  EXPECT_NE(story_.errors[0].find("as soon as it began"), std::string::npos);
}

TEST_F(ListWatchUnit, AnErrorEventOfExpiryListsAnew) {
  Page({"a"}, "10");
  Watch({EncodeFrame("ERROR", EncodeStatus(410, "Expired", 0))});
  Page({"b"}, "20");
  EXPECT_EQ(Run(), "begin +a end listed:1 ended:expired backoff begin +b end listed:1");
}

TEST_F(ListWatchUnit, AnErrorEventTellsWhenToComeBack) {
  Page({"a"}, "10");
  Watch({EncodeFrame("ERROR", EncodeStatus(429, "TooManyRequests", 9))});
  Watch({});
  EXPECT_EQ(Run(), "begin +a end listed:1 ended:refused backoff ended:server");
  EXPECT_EQ(timer_.waits, std::vector<milliseconds>{seconds(9)});
  EXPECT_EQ(VersionOf(2), "10");
}

TEST_F(ListWatchUnit, GarbageIsCountedAndListedAnew) {
  Page({"a"}, "10");
  Watch({std::string("\0\0\0\1\xff", 5)});
  Page({"b"}, "20");
  EXPECT_EQ(Run(), "begin +a end listed:1 ended:garbage backoff begin +b end listed:1");
  EXPECT_EQ(story_.errors.size(), 1u);
}

TEST_F(ListWatchUnit, AnObjectThatCannotBeReadIsPartOfTheList) {
  Push({.pieces = {EncodeList("NodeList",
                              {EncodeObject(MakeNode("a"), "1"), Broken("b", "1"), "\xff",
                               EncodeObject(MakeNode("c"), "1")},
                              "10", "")}});
  Watch({});
  // Told to the handler and to the observer.
  EXPECT_EQ(Run(), "begin +a +c ?b ?b ? ? end listed:4 ended:server");
  EXPECT_EQ(VersionOf(1), "10");
  EXPECT_TRUE(story_.errors.empty());
  EXPECT_TRUE(timer_.waits.empty());
}

TEST_F(ListWatchUnit, AnEventThatCannotBeReadMovesTheWatchOn) {
  Page({"a", "b"}, "10");
  Watch({BrokenEvent("MODIFIED", Broken("a", "11")), Event("ADDED", "c", "12"),
         BrokenEvent("DELETED", Broken("b", "13"))});
  Watch({});
  EXPECT_EQ(Run(), "begin +a +b end listed:2 ?a ?a +c -b ended:server ended:server");
  EXPECT_EQ(VersionOf(2), "13");
  EXPECT_TRUE(story_.errors.empty());
}

// Some object is not any more what is known of it, and nobody can say which: the list tells of all
// others, and so that this one is not among them.
TEST_F(ListWatchUnit, AChangeOfNobodyKnowsWhatListsAnew) {
  Page({"a", "b"}, "10");
  Watch({BrokenEvent("MODIFIED", "\xff")});
  Push({.pieces = {EncodeList("NodeList", {EncodeObject(MakeNode("a"), "1"), "\xff"}, "20", "")}});
  Watch({Event("ADDED", "c", "21")});
  EXPECT_EQ(Run(),
            "begin +a +b end listed:2 ? ended:garbage backoff begin +a ? ? end listed:2 +c "
            "ended:server");
}

TEST_F(ListWatchUnit, AListWithoutAVersionIsGarbage) {
  Page({"a"}, "");
  EXPECT_EQ(Run(), "backoff");
  EXPECT_NE(story_.errors[0].find("resourceVersion"), std::string::npos);
}

TEST_F(ListWatchUnit, ErrorsNameTheRequestAndTheServersWords) {
  Refuse(403);
  Run();
  EXPECT_EQ(story_.errors[0], "GET /api/v1/nodes: 403 Reason: scripted by the fake API server");
}

TEST_F(ListWatchUnit, IsStoppedWhileItWaits) {
  for (int i = 0; i < 3; ++i) Refuse(500);
  timer_.Stop();
  EXPECT_EQ(Run(), "backoff");
}

TEST(WatchEnd, NamesDiffer) {
  EXPECT_EQ(NameOf(WatchEnd::kServer), "server");
  EXPECT_EQ(NameOf(WatchEnd::kExpired), "expired");
  EXPECT_EQ(NameOf(WatchEnd::kStalled), "stalled");
  EXPECT_EQ(NameOf(WatchEnd::kConnectionLost), "connection");
  EXPECT_EQ(NameOf(WatchEnd::kRefused), "refused");
  EXPECT_EQ(NameOf(WatchEnd::kGarbage), "garbage");
}

// The list as the beginning of a watch.

class WatchListUnit : public ListWatchUnit {
 protected:
  WatchListUnit() { watch_list_ = true; }

  static std::string End(const std::string& version) { return Bookmark(version, true); }
};

TEST_F(WatchListUnit, OneRequestListsAndWatches) {
  Watch({Event("ADDED", "a", "3"), Event("ADDED", "b", "5"), End("7"), Event("DELETED", "a", "8")});
  Watch({Event("ADDED", "c", "9")});
  EXPECT_EQ(Run(), "begin +a +b end listed:2 -a ended:server +c ended:server");
  const std::string& first = transport_.requests[0].target;
  EXPECT_EQ(first.substr(0, first.find("&timeoutSeconds")),
            "/api/v1/nodes?watch=true&allowWatchBookmarks=true&sendInitialEvents=true"
            "&resourceVersionMatch=NotOlderThan");
  EXPECT_EQ(VersionOf(0), "");
  EXPECT_EQ(VersionOf(1), "8");
  EXPECT_EQ(transport_.requests[1].target.find("sendInitialEvents"), std::string::npos);
}

TEST_F(WatchListUnit, TheVersionOfTheListIsToldAtItsEnd) {
  Watch({Event("ADDED", "a", "3"), End("7"), Event("DELETED", "a", "8")});
  Run();
  const std::vector<std::string> want = {"", "", "end:7", "7", "8"};
  EXPECT_EQ(story_.versions, want);
}

TEST_F(WatchListUnit, AnObjectThatCannotBeReadIsPartOfTheList) {
  Watch({Event("ADDED", "a", "3"), BrokenEvent("ADDED", Broken("b", "4")),
         BrokenEvent("ADDED", "\xff"), End("7")});
  Watch({});
  EXPECT_EQ(Run(), "begin +a ?b ?b ? ? end listed:3 ended:server ended:server");
  EXPECT_EQ(VersionOf(1), "7");
  EXPECT_TRUE(story_.errors.empty());
}

// What changed was listed a moment ago, and nobody knows which object that was.
TEST_F(WatchListUnit, AChangeOfAnObjectWithoutANameIsNoPartOfTheList) {
  Watch({Event("ADDED", "a", "3"), BrokenEvent("MODIFIED", "\xff")});
  Watch({BrokenEvent("ADDED", "\xff"), End("7")});
  Watch({});
  EXPECT_EQ(Run(),
            "begin +a ? ended:garbage backoff begin ? ? end listed:1 ended:server ended:server");
  EXPECT_EQ(VersionOf(1), "");
  EXPECT_EQ(VersionOf(2), "7");
}

TEST_F(WatchListUnit, AnEmptyListIsAList) {
  Watch({End("7")});
  Watch({});
  EXPECT_EQ(Run(), "begin end listed:0 ended:server ended:server");
  EXPECT_EQ(VersionOf(1), "7");
}

TEST_F(WatchListUnit, AListThatBreaksOffBeginsAgain) {
  Watch({Event("ADDED", "a", "3")});
  Push({.pieces = {Event("ADDED", "b", "3")}, .end = absl::UnavailableError("reset")});
  Watch({Event("ADDED", "c", "4"), End("7")});
  EXPECT_EQ(Run(),
            "begin +a ended:server backoff begin +b ended:connection backoff begin +c end listed:1 "
            "ended:server");
  EXPECT_EQ(VersionOf(2), "");
}

// As API servers do it whose feature WatchList is off, and those that never heard of it.
TEST_F(WatchListUnit, PagesAreListedWhereTheServerKnowsNoWatchList) {
  for (const int code : {422, 400}) {
    Refuse(code);
    Page({"a"}, "10", "token");
    Page({"b"}, "10");
    Watch({Event("ADDED", "c", "11")});
    EXPECT_EQ(Run(), "begin +a +b end listed:2 +c ended:server") << code;
    EXPECT_EQ(transport_.requests[1].target, "/api/v1/nodes?limit=500");
    transport_.requests.clear();
    story_.text.clear();
  }
}

TEST_F(WatchListUnit, PagesAreListedWhereTheEndIsNotTold) {
  Watch({Event("ADDED", "a", "3"), Bookmark("7", false)});
  Page({"a"});
  EXPECT_EQ(Run(), "begin +a begin +a end listed:1");
}

TEST_F(WatchListUnit, TheServerIsAskedAgainAfterAWhile) {
  Refuse(422);
  Page({"a"});
  Refuse(410);  // half a minute later everything has to be listed again
  Page({"a"});
  Push({.head = {.status = 410},
        .pieces = {EncodeStatus(410, "Gone", 0)},
        .takes = std::chrono::minutes(31)});
  Watch({End("20")});
  EXPECT_EQ(
      Run(),
      "begin +a end listed:1 ended:expired backoff begin +a end listed:1 ended:expired backoff "
      "begin end listed:0 ended:server");
}

TEST_F(WatchListUnit, OtherTroubleIsNoRefusal) {
  for (const int code : {401, 403, 429, 500, 503}) {
    Refuse(code);
    Watch({End("7")});
    EXPECT_EQ(Run(), "ended:refused backoff begin end listed:0 ended:server") << code;
    story_.text.clear();
  }
}

}  // namespace
}  // namespace berth::kube
