// What a snapshot's writers make of signs of life: how old the view is.

#include "cluster/snapshot_writer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "tests/unit/cluster/cluster_fixtures.h"

namespace berth::cluster {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class AgeOfTheView : public testing::Test {
 protected:
  /// Something arrives every ten seconds of a list that then breaks off.
  void ListInVain() {
    nodes_.OnReplaceBegin();
    for (int i = 0; i < 6; ++i) {
      nodes_.OnHeard("");
      nodes_.OnUpsert(MakeNode("n" + std::to_string(i)));
      timer_.Pass(seconds(10));
    }
    nodes_.OnHeard("");
    nodes_.OnFailed();
  }

  void List(const std::string& version) {
    nodes_.OnReplaceBegin();
    nodes_.OnHeard("");
    timer_.Pass(minutes(1));
    nodes_.OnReplaceEnd(version);
  }

  seconds Age() const {
    const auto age = timer_.Now() - snapshot_.LastHeard(Kind::kNodes).value();
    return std::chrono::duration_cast<seconds>(age);
  }

  Snapshot snapshot_{TestOptions()};
  StillTimer timer_;
  SnapshotWriter<model::Node> nodes_{&snapshot_, &timer_};
};

TEST_F(AgeOfTheView, GrowsWhileListsBreakOffThoughSomethingArrives) {
  List("10");
  for (int tries = 1; tries <= 10; ++tries) {
    ListInVain();
    EXPECT_EQ(Age(), minutes(tries));
  }
  List("20");
  EXPECT_EQ(Age(), seconds(0)) << "the list is complete";
}

TEST_F(AgeOfTheView, IsThatOfTheLastEventOrBookmark) {
  List("10");
  timer_.Pass(minutes(2));
  nodes_.OnGranted();
  EXPECT_EQ(Age(), minutes(2)) << "the watch was granted, and has not told anything";
  timer_.Pass(minutes(1));
  EXPECT_EQ(Age(), minutes(3));
  nodes_.OnHeard("11");
  EXPECT_EQ(Age(), seconds(0));
  ListInVain();
  List("20");
  timer_.Pass(minutes(1));
  nodes_.OnHeard("21");
  EXPECT_EQ(Age(), seconds(0)) << "lists that broke off are forgotten after a complete one";
}

// As of a proxy that passes on the head of each reply, and nothing else.
TEST_F(AgeOfTheView, GrowsWhileWatchesAreGrantedAndBreakOff) {
  List("10");
  for (int tries = 1; tries <= 10; ++tries) {
    nodes_.OnGranted();
    timer_.Pass(minutes(1));
    nodes_.OnFailed();
    EXPECT_EQ(Age(), minutes(tries));
  }
}

// BerthSnapshotNotSynced tells of a view that does not exist yet.
TEST_F(AgeOfTheView, IsNotThatOfAListBeforeTheFirstIsComplete) {
  ListInVain();
  EXPECT_EQ(Age(), seconds(0));
  ListInVain();
  EXPECT_EQ(Age(), seconds(0));
}

}  // namespace
}  // namespace berth::cluster
