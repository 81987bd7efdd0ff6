#include "kube/waiter.h"

#include <thread>

#include "gtest/gtest.h"

namespace berth::kube {
namespace {

TEST(RealWaiter, WaitsAsLongAsItIsTold) {
  RealWaiter waiter;
  const auto begin = waiter.Now();
  EXPECT_TRUE(waiter.Wait(std::chrono::milliseconds(20)));
  EXPECT_GE(waiter.Now() - begin, std::chrono::milliseconds(20));
}

TEST(RealWaiter, IsStoppedFromAnotherThreadAndStaysSo) {
  RealWaiter waiter;
  std::thread other([&] { waiter.Stop(); });
  EXPECT_FALSE(waiter.Wait(std::chrono::hours(1)));
  other.join();
  EXPECT_FALSE(waiter.Wait(std::chrono::hours(1)));
}

}  // namespace
}  // namespace berth::kube
