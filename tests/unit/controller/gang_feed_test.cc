#include "controller/gang_feed.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace berth::controller {
namespace {

using planner::GangChange;
using planner::GangEvent;

TEST(GangFeed, KnowsNothingUntilSomethingIsPlannedAndWhenNothingIsAnyMore) {
  GangFeed feed;
  EXPECT_FALSE(feed.Known());
  feed.OnPlanned({{.name = "train"}}, {});
  ASSERT_TRUE(feed.Known());
  EXPECT_EQ(feed.Known()->at(0).name, "train");
  feed.OnIdle();
  EXPECT_FALSE(feed.Known());
}

TEST(GangFeed, PassesOnChangesUntilNothingIsPlannedAnyMore) {
  GangFeed feed;
  const auto watcher = feed.changes().Watch([] {});
  ASSERT_TRUE(watcher.ok());
  const GangChange change{.name = "train", .event = GangEvent::kReleased};
  feed.OnPlanned({}, {change});
  feed.OnPlanned({}, {});
  EXPECT_EQ((*watcher)->Take()->item, change);
  EXPECT_FALSE((*watcher)->Take());
  EXPECT_TRUE((*watcher)->End().ok());
  feed.OnIdle();
  EXPECT_TRUE(absl::IsUnavailable((*watcher)->End()));
}

}  // namespace
}  // namespace berth::controller
