#include "kube/list_watch.h"

#include "gtest/gtest.h"
#include "tests/unit/kube/list_watch_fixture.h"

namespace berth::kube {
namespace {

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
  // The page, the list, and the watch's event and bookmark.
  const std::vector<std::string> want = {"", "end:10", "11", "20"};
  EXPECT_EQ(story_.versions, want);
  EXPECT_EQ(story_.grants, 2);
}

TEST_F(ListWatchUnit, AWatchThatBreaksOffBeforeAnyEventTellsNoVersion) {
  Page({"a"}, "10");
  for (int i = 0; i < 10; ++i) Push({.end = absl::UnavailableError("reset")});
  Run();
  EXPECT_EQ(story_.versions, (std::vector<std::string>{"", "end:10"}));
  EXPECT_EQ(story_.grants, 10);
}

// Who listens can tell by it that nothing is complete, however much arrives.
TEST_F(ListWatchUnit, ListsThatBreakOffForEverTellNoVersion) {
  Page({"a"}, "10");
  for (int i = 0; i < 10; ++i) {
    Refuse(410);  // the watch, then the list's second page
    Page({"a", "b"}, "20", "token");
  }
  Run();
  std::vector<std::string> want = {"", "end:10"};
  want.resize(2 + 10);
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

TEST_F(ListWatchUnit, AServerThatIsAwayIsNotMissedWhenItReturns) {
  Page({"a"}, "10");
  for (int i = 0; i < 40; ++i) BeAway();
  Watch({EncodeFrame("ERROR", EncodeStatus(410, "Expired", 0))});
  Page({"b"}, "20");
  Run();
  ASSERT_EQ(timer_.waits.size(), 41u);
  for (std::size_t i = 0; i < 40; ++i) EXPECT_LE(timer_.waits[i], seconds(1));
  EXPECT_LE(timer_.waits[40], milliseconds(500)) << "what it lists is overdue";
}

TEST_F(ListWatchUnit, AServerThatIsBusyIsLeftAloneThoughItWasAway) {
  Page({"a"}, "10");
  BeAway();
  for (int i = 0; i < 6; ++i) Refuse(429);
  Run();
  ASSERT_EQ(timer_.waits.size(), 7u);
  EXPECT_GE(timer_.waits[6], seconds(8));
}

TEST_F(ListWatchUnit, TellsOfFailuresButNotOfAVersionThatHasExpired) {
  Page({"a"}, "10");
  BeAway();
  Refuse(503);
  Watch({Event("ADDED", "b", "11")});
  Push({.pieces = {Event("ADDED", "c", "12").substr(0, 6)}});
  EXPECT_EQ((Run(), story_.failures), 3);
  Page({"a"}, "10");
  Watch({});
  Watch({EncodeFrame("ERROR", EncodeStatus(410, "Expired", 0))});
  Page({"b"}, "20");
  EXPECT_EQ((Run(), story_.failures), 3);
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

}  // namespace
}  // namespace berth::kube
