// What a snapshot tells of outages of the API server, as its writers hear of them.

#include "cluster/outage_memory.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "cluster/snapshot_writer.h"
#include "tests/unit/cluster/cluster_fixtures.h"

namespace berth::cluster {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class Outages : public testing::Test {
 protected:
  Outages() {
    pods_.OnReplaceBegin();
    pods_.OnReplaceEnd("10");
    pods_.OnGranted();
  }

  /// Requests fail for that long.
  void BeAway(milliseconds duration) {
    pods_.OnFailed();
    timer_.Pass(duration / 2);
    pods_.OnFailed();
    timer_.Pass(duration - duration / 2);
  }

  bool IsBehind() const { return snapshot_.Read().IsBehind(); }
  bool OutageLately() const { return snapshot_.Read().OutageLately(); }

  Snapshot snapshot_{TestOptions()};
  StillTimer timer_;
  SnapshotWriter<model::Pod> pods_{&snapshot_, &timer_};
};

TEST_F(Outages, NothingHasHappenedAtFirst) {
  EXPECT_FALSE(IsBehind());
  EXPECT_FALSE(OutageLately());
}

TEST_F(Outages, AreRememberedForAWhile) {
  BeAway(seconds(30));
  EXPECT_FALSE(OutageLately()) << "it lasts";
  pods_.OnGranted();
  EXPECT_TRUE(OutageLately());
  timer_.Pass(OutageMemory::kRemembered - milliseconds(1));
  pods_.OnHeard("11");
  EXPECT_TRUE(OutageLately());
  timer_.Pass(milliseconds(1));
  pods_.OnHeard("11");
  EXPECT_FALSE(OutageLately());
}

TEST_F(Outages, AreOverWhenEverythingWasListed) {
  BeAway(seconds(30));
  pods_.OnReplaceBegin();
  pods_.OnHeard("");
  EXPECT_TRUE(IsBehind());
  EXPECT_FALSE(OutageLately());
  pods_.OnReplaceEnd("20");
  EXPECT_FALSE(IsBehind());
  EXPECT_TRUE(OutageLately());
}

TEST_F(Outages, AFailureAloneIsNone) {
  BeAway(OutageMemory::kShortest - milliseconds(1));
  pods_.OnGranted();
  timer_.Pass(seconds(50));
  pods_.OnHeard("11");
  EXPECT_FALSE(OutageLately()) << "the watch was granted soon; that nothing happened is no failure";
}

TEST_F(Outages, TheViewIsBehindUntilTheWatchTellsSomething) {
  BeAway(milliseconds(300));
  EXPECT_TRUE(IsBehind());
  pods_.OnGranted();
  EXPECT_TRUE(IsBehind()) << "the watch was granted, and its events are yet to come";
  pods_.OnHeard("10");
  EXPECT_FALSE(IsBehind()) << "a bookmark says that there were none";
}

TEST_F(Outages, TheViewIsNotBehindForEver) {
  BeAway(OutageMemory::kLongestBehind - milliseconds(1));
  pods_.OnFailed();
  EXPECT_TRUE(IsBehind());
  timer_.Pass(milliseconds(1));
  pods_.OnFailed();
  EXPECT_FALSE(IsBehind());
  pods_.OnHeard("10");
  EXPECT_TRUE(OutageLately());
}

TEST_F(Outages, AreForgottenInTimeThoughAnotherBegins) {
  BeAway(seconds(30));
  pods_.OnHeard("11");
  timer_.Pass(OutageMemory::kRemembered);
  pods_.OnFailed();
  EXPECT_FALSE(OutageLately()) << "what is known of the nodes becomes old";
}

TEST_F(Outages, OfServicesDoNotMatter) {
  SnapshotWriter<model::Service> services(&snapshot_, &timer_);
  services.OnFailed();
  timer_.Pass(seconds(30));
  services.OnReplaceBegin();
  services.OnReplaceEnd("10");
  EXPECT_FALSE(OutageLately());
}

}  // namespace
}  // namespace berth::cluster
