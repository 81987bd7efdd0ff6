// The list as the beginning of a watch, against an API server that knows it and one that does not.
#include "tests/integration/list_watch_fixture.h"

namespace berth::cluster {
namespace {

class WatchListTest : public ListWatchTest {
 protected:
  WatchListTest() { watch_list_ = true; }
};

TEST_F(WatchListTest, OneRequestOfEachKindListsAndWatches) {
  StartBoth();
  ExpectContents(AtFirst());
  EXPECT_TRUE(Await([&] { return snapshot_.Synced(); }));
  ExpectAlive();
  EXPECT_EQ(nodes_.listed(), std::vector<std::size_t>{5});
  EXPECT_EQ(server_->Count(FakeRequest::kListNodes), 0);
  EXPECT_EQ(server_->Count(FakeRequest::kWatchNodes), 1);
  EXPECT_EQ(server_->Count(FakeRequest::kWatchPods), 1);
  EXPECT_TRUE(nodes_.errors().empty());
}

TEST_F(WatchListTest, PagesAreListedWhereItIsNotKnown) {
  StartServer({.watch_list = false});
  StartFeed();
  ExpectContents(AtFirst());
  EXPECT_TRUE(server_->AwaitCount(FakeRequest::kWatchNodes, 2));
  ExpectAlive();
  EXPECT_EQ(server_->Count(FakeRequest::kListNodes), 3);
  EXPECT_TRUE(nodes_.errors().empty()) << "no error: it works";
}

TEST_F(WatchListTest, WhatIsGoneAfterAnOutageIsGone) {
  StartBoth();
  ExpectContents(AtFirst());
  server_->Pause();
  server_->Delete(MakeNode("n4"));
  server_->Compact();
  server_->Resume();
  ExpectContents({{"n0", "5/8"}, {"n1", "0/8"}, {"n2", "0/8"}, {"n3", "0/8"}});
}

TEST_F(WatchListTest, AListThatBreaksOffBeginsAgain) {
  StartServer();
  server_->Fail(FakeRequest::kWatchNodes, {.kind = FaultKind::kCut});
  StartFeed();
  ExpectContents(AtFirst());
  ExpectAlive();
  EXPECT_EQ(nodes_.listed(), std::vector<std::size_t>{5});
}

}  // namespace
}  // namespace berth::cluster
