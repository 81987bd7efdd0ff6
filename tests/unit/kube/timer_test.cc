#include "kube/timer.h"

#include <thread>

#include "gtest/gtest.h"

namespace berth::kube {
namespace {

TEST(SteadyTimer, WaitsAsLongAsItIsTold) {
  SteadyTimer timer;
  const auto begin = timer.Now();
  EXPECT_TRUE(timer.Wait(std::chrono::milliseconds(20)));
  EXPECT_GE(timer.Now() - begin, std::chrono::milliseconds(20));
}

TEST(SteadyTimer, IsStoppedFromAnotherThreadAndStaysSo) {
  SteadyTimer timer;
  std::thread other([&] { timer.Stop(); });
  EXPECT_FALSE(timer.Wait(std::chrono::hours(1)));
  other.join();
  EXPECT_FALSE(timer.Wait(std::chrono::hours(1)));
}

}  // namespace
}  // namespace berth::kube
