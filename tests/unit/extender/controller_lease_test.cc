#include "extender/controller_lease.h"

#include <gtest/gtest.h>

namespace berth::extender {
namespace {

using std::chrono::seconds;

constexpr ControllerLease::Clock::time_point kStart{std::chrono::hours(1)};

kube::LeaseRecord Record(const std::string& renewed, const std::string& holder = "one") {
  return {.holder = holder, .duration = seconds(15), .acquired = {}, .renewed = renewed};
}

TEST(ControllerLease, IsHeldByNobodyUntilItIsRead) {
  EXPECT_FALSE(ControllerLease().IsHeld(kStart));
}

// A controller that ended long ago may have left it so.
TEST(ControllerLease, OfTheFirstTimeProvesNothing) {
  ControllerLease lease;
  lease.OnRead(Record("10:00:00"), kStart);
  EXPECT_FALSE(lease.IsHeld(kStart));
  lease.OnRead(Record("10:00:00"), kStart + seconds(5));
  EXPECT_FALSE(lease.IsHeld(kStart + seconds(5)));
}

TEST(ControllerLease, IsHeldForItsDurationAfterItWasSeenToBeRenewed) {
  ControllerLease lease;
  lease.OnRead(Record("10:00:00"), kStart);
  lease.OnRead(Record("10:00:02"), kStart + seconds(5));
  EXPECT_TRUE(lease.IsHeld(kStart + seconds(5)));
  lease.OnRead(Record("10:00:02"), kStart + seconds(10));
  EXPECT_TRUE(lease.IsHeld(kStart + seconds(19)));
  EXPECT_FALSE(lease.IsHeld(kStart + seconds(20)));
  lease.OnRead(Record("10:00:22"), kStart + seconds(25));
  EXPECT_TRUE(lease.IsHeld(kStart + seconds(25)));
}

// The clock of the leader's machine does not matter.
TEST(ControllerLease, MayBeRenewedAtAnEarlierTime) {
  ControllerLease lease;
  lease.OnRead(Record("10:00:00"), kStart);
  lease.OnRead(Record("09:00:00"), kStart + seconds(5));
  EXPECT_TRUE(lease.IsHeld(kStart + seconds(5)));
}

TEST(ControllerLease, OfNobodyIsNotHeld) {
  ControllerLease lease;
  lease.OnRead(Record("10:00:00"), kStart);
  lease.OnRead(Record("10:00:02", ""), kStart + seconds(5));
  EXPECT_FALSE(lease.IsHeld(kStart + seconds(5))) << "its holder has given it up";
  lease.OnRead(Record("10:00:04", "two"), kStart + seconds(10));
  EXPECT_TRUE(lease.IsHeld(kStart + seconds(10)));
}

}  // namespace
}  // namespace berth::extender
