// The list as the beginning of a watch.

#include "gtest/gtest.h"
#include "tests/unit/kube/list_watch_fixture.h"

namespace berth::kube {
namespace {

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
  const std::vector<std::string> want = {"", "end:7", "7", "8"};
  EXPECT_EQ(story_.versions, want);
  EXPECT_EQ(story_.grants, 0) << "it says that a list begins";
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
  Push({.pieces = {Event("ADDED", "b", "3")}, .end = absl::UnavailableError("reset")});
  Watch({Event("ADDED", "c", "4"), End("7")});
  EXPECT_EQ(Run(), "begin +b ended:connection backoff begin +c end listed:1 ended:server");
  EXPECT_EQ(VersionOf(1), "");
}

// Of a server that ends one such watch, the next one may end as soon.
TEST_F(WatchListUnit, AListThatTheServerEndsIsReadInPages) {
  Watch({Event("ADDED", "a", "3")});
  Push({.pieces = {}, .end = absl::UnavailableError("reset")});
  Page({"a"}, "10", "token");
  Page({"b"}, "10");
  Refuse(410);
  Watch({Event("ADDED", "c", "12"), End("12")});
  EXPECT_EQ(Run(),
            "begin +a ended:server backoff begin +a +b end listed:2 ended:expired backoff begin +c "
            "end listed:1 ended:server");
  for (const int i : {1, 2}) EXPECT_EQ(transport_.requests[i].target, "/api/v1/nodes?limit=500");
  EXPECT_EQ(VersionOf(5), "") << "the next list begins as a watch again";
}

// Who listens can tell by it that nothing is complete, however much arrives.
TEST_F(WatchListUnit, ListsThatBreakOffForEverTellNoVersion) {
  Watch({End("7")});
  Refuse(410);
  for (int i = 0; i < 10; ++i) {
    Push({.pieces = {Event("ADDED", "a", "8"), Event("ADDED", "b", "9")},
          .end = absl::UnavailableError("reset")});
  }
  Run();
  std::vector<std::string> want = {"end:7", "7"};
  want.resize(2 + 10 * 2);
  EXPECT_EQ(story_.versions, want);
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
