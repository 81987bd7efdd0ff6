#include "server/signals.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <thread>

namespace berth::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(ShutdownSignalsTest, WaitsForSigtermAndSigint) {
  for (const int number : {SIGTERM, SIGINT}) {
    ShutdownSignals signals;
    const std::jthread other([number] { kill(getpid(), number); });
    EXPECT_EQ(signals.Wait(), number);
  }
}

TEST(ShutdownSignalsTest, SeesASignalThatCameBeforeItWaits) {
  ShutdownSignals signals;
  EXPECT_EQ(signals.WaitFor(milliseconds(1)), std::nullopt);
  kill(getpid(), SIGTERM);
  EXPECT_EQ(signals.WaitFor(seconds(10)), SIGTERM);
}

TEST(ShutdownSignalsTest, LetsOtherSignalsThrough) {
  ShutdownSignals signals;
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  EXPECT_EQ(sigismember(&blocked, SIGTERM), 1);
  EXPECT_EQ(sigismember(&blocked, SIGUSR1), 0);
}

TEST(ShutdownSignalsDeathTest, ASecondSignalEndsTheProcess) {
  EXPECT_EXIT(
      {
        ShutdownSignals signals;
        kill(getpid(), SIGTERM);
        signals.Wait();
        kill(getpid(), SIGTERM);
      },
      ::testing::KilledBySignal(SIGTERM), "");
}

TEST(ShutdownSignalsDeathTest, GivesTheSignalsBack) {
  EXPECT_EXIT(
      {
        std::signal(SIGINT, SIG_DFL);  // a shell ignores it for what runs in the background
        { const ShutdownSignals signals; }
        kill(getpid(), SIGINT);
      },
      ::testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace berth::server
