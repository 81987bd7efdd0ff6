#include "probe/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>

#include "fake_node.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace berth::probe {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Ending = Guarded::Ending;
using Clock = std::chrono::steady_clock;

/// Longer than any test takes.
constexpr unsigned kForever = 300;

class ChildTest : public testing::Test {
 protected:
  Guarded Run(const std::function<Verdict(Progress&)>& look) { return RunGuarded(options_, look); }

  /// Whether nobody has the file locked any more, in the end.
  bool IsFreed() {
    const auto deadline = Clock::now() + std::chrono::seconds(10);
    while (Clock::now() < deadline) {
      const Guarded next = Run([](Progress&) { return Well("free"); });
      if (next.ending == Ending::kAnswered) return true;
      std::this_thread::yield();
    }
    return false;
  }

  FakeNode node_;
  GuardOptions options_{node_.root() + "/run/test.lock", std::chrono::seconds(1)};
};

TEST_F(ChildTest, BringsTheAnswer) {
  const Guarded guarded = Run([](Progress&) { return Bad("GPU is lost"); });
  EXPECT_EQ(guarded.ending, Ending::kAnswered);
  EXPECT_EQ(guarded.verdict, Bad("GPU is lost"));
}

TEST_F(ChildTest, GivesUpWhatHangsAndNamesIt) {
  const Guarded guarded = Run([](Progress& progress) {
    progress.Doing("statfs /data");
    sleep(kForever);
    return Well("");
  });
  EXPECT_EQ(guarded.ending, Ending::kHung);
  EXPECT_EQ(guarded.detail, "statfs /data has not ended in 1s");
  EXPECT_TRUE(IsFreed());
}

TEST_F(ChildTest, SaysWhatHangsEvenIfTheProbeDoesNot) {
  const Guarded guarded = Run([](Progress&) {
    sleep(kForever);
    return Well("");
  });
  EXPECT_EQ(guarded.detail, "the probe has not ended in 1s");
}

TEST_F(ChildTest, KillsAProgramThatIgnoresSigterm) {
  node_.NvidiaSmi("trap '' TERM; sleep 300; sleep 300");
  const Guarded guarded = Run([&](Progress& progress) {
    progress.Doing("nvidia-smi");
    RunProgram({node_.root() + "/nvidia-smi"}, "");
    return Well("");
  });
  EXPECT_EQ(guarded.ending, Ending::kHung);
  EXPECT_TRUE(IsFreed()) << "the program or its child goes on";
}

TEST_F(ChildTest, AnswersAtOnceWhileSomebodyWhoCannotBeKilledHangs) {
  // Stands for a program in state D: it leaves the session, so that it is not killed.
  const std::string pid_file = node_.root() + "/pid";
  Run([&](Progress& progress) {
    progress.Doing("nvidia-smi");
    if (fork() == 0) {
      setsid();
      std::ofstream(pid_file) << getpid();
      sleep(kForever);
      _exit(0);
    }
    sleep(kForever);
    return Well("");
  });
  options_.timeout = std::chrono::minutes(5);
  const auto start = Clock::now();
  const Guarded next = Run([&](Progress&) {
    std::ofstream(node_.root() + "/started") << "yes";
    return Well("");
  });
  EXPECT_EQ(next.ending, Ending::kHung);
  EXPECT_EQ(next.detail, "nvidia-smi of an earlier run still hangs");
  EXPECT_FALSE(std::filesystem::exists(node_.root() + "/started"));
  EXPECT_LT(Clock::now() - start, std::chrono::minutes(1));

  pid_t pid = 0;
  std::ifstream(pid_file) >> pid;
  ASSERT_GT(pid, 0);
  kill(pid, SIGKILL);
  options_.timeout = std::chrono::seconds(1);
  EXPECT_TRUE(IsFreed());
}

TEST_F(ChildTest, WaitsForAnotherRunThatIsStillAtWork) {
  ASSERT_TRUE(IsFreed());
  const int other = open(options_.lock_file.c_str(), O_RDWR);
  ASSERT_EQ(flock(other, LOCK_EX), 0);
  const Guarded guarded = Run([](Progress&) { return Well(""); });
  EXPECT_EQ(guarded.ending, Ending::kFailed);
  EXPECT_EQ(guarded.detail, "another run is still going on");
  close(other);
  EXPECT_TRUE(IsFreed());
}

TEST_F(ChildTest, TakesTheHangThatItHasWaitedForAsItsOwn) {
  // Several probes of nvidia-smi run at once, and all of them would hang one after the other.
  const pid_t other = fork();
  if (other == 0) {
    Run([&](Progress& progress) {
      progress.Doing("nvidia-smi");
      std::ofstream(node_.root() + "/started") << "yes";
      sleep(kForever);
      return Well("");
    });
    _exit(0);
  }
  while (!std::filesystem::exists(node_.root() + "/started")) std::this_thread::yield();
  options_.timeout = std::chrono::minutes(5);
  const Guarded guarded = Run([&](Progress&) {
    std::ofstream(node_.root() + "/started-again") << "yes";
    return Well("");
  });
  waitpid(other, nullptr, 0);
  EXPECT_EQ(guarded.ending, Ending::kHung);
  EXPECT_THAT(guarded.detail, StartsWith("nvidia-smi "));
  EXPECT_FALSE(std::filesystem::exists(node_.root() + "/started-again"));
  EXPECT_TRUE(IsFreed());
}

TEST_F(ChildTest, DoesNotKeepThePipeOfTheCaller) {
  // Node-problem-detector reads until nobody has the pipe any more.
  std::array<int, 2> pipe_ends{};
  ASSERT_EQ(pipe(pipe_ends.data()), 0);
  const pid_t plugin = fork();
  if (plugin == 0) {
    dup2(pipe_ends[1], STDOUT_FILENO);
    dup2(pipe_ends[1], STDERR_FILENO);
    RunGuarded(options_, [](Progress&) {
      if (fork() == 0) setsid();  // out of reach
      sleep(4);
      return Well("");
    });
    _exit(0);
  }
  close(pipe_ends[1]);
  waitpid(plugin, nullptr, 0);
  pollfd end{pipe_ends[0], POLLIN, 0};
  EXPECT_EQ(poll(&end, 1, 1000), 1) << "somebody has the pipe still";
  char byte = 0;
  EXPECT_EQ(read(pipe_ends[0], &byte, 1), 0);
  close(pipe_ends[0]);
}

TEST_F(ChildTest, EndsWithItsParent) {
  const pid_t plugin = fork();
  if (plugin == 0) {
    options_.timeout = std::chrono::minutes(5);
    Run([&](Progress&) {
      std::ofstream(node_.root() + "/started") << "yes";
      sleep(kForever);
      return Well("");
    });
    _exit(0);
  }
  while (!std::filesystem::exists(node_.root() + "/started")) std::this_thread::yield();
  kill(plugin, SIGKILL);
  waitpid(plugin, nullptr, 0);
  EXPECT_TRUE(IsFreed());
}

TEST_F(ChildTest, SaysHowAChildWithoutAnAnswerEnded) {
  EXPECT_EQ(Run([](Progress&) -> Verdict { _exit(3); }).detail,
            "the probe has ended without an answer");
  const Guarded killed = Run([](Progress&) {
    raise(SIGKILL);
    return Well("");
  });
  EXPECT_EQ(killed.ending, Ending::kFailed);
  EXPECT_EQ(killed.detail, "signal 9 has ended the probe");
}

TEST_F(ChildTest, TakesAnExceptionForUnknown) {
  const Guarded guarded = Run([](Progress&) -> Verdict { throw std::runtime_error("no"); });
  EXPECT_EQ(guarded.verdict, Unknown("no"));
}

TEST_F(ChildTest, SaysThatTheRunDirectoryCannotBeWritten) {
  options_.lock_file = "/proc/nowhere/x.lock";
  EXPECT_THAT(Run([](Progress&) { return Well(""); }).detail, StartsWith("/proc/nowhere/x.lock: "));
}

TEST_F(ChildTest, DoesNotFollowALinkInPlaceOfTheLock) {
  node_.Write("/victim", "content");
  node_.Link("/run/test.lock", node_.root() + "/victim");
  EXPECT_EQ(Run([](Progress&) { return Well(""); }).ending, Ending::kFailed);
  EXPECT_EQ(std::filesystem::file_size(node_.root() + "/victim"), 7U);
}

TEST(RunProgramTest, BringsOutputAndExitCode) {
  const ProgramResult result = RunProgram({"sh", "-c", "echo out; echo err >&2; exit 15"}, "");
  EXPECT_EQ(result.exit_code, 15);
  EXPECT_EQ(result.output, "out\nerr\n");
}

TEST(RunProgramTest, SaysWhyAProgramCannotBeStarted) {
  const ProgramResult result = RunProgram({"/nowhere/nvidia-smi"}, "");
  EXPECT_EQ(result.exit_code, 127);
  EXPECT_THAT(result.output, HasSubstr("No such file"));
}

TEST(RunProgramTest, HasTheProgramSeeAnotherRoot) {
  if (geteuid() != 0) GTEST_SKIP() << "only root may change what a program sees as /";
  const FakeNode node;
  EXPECT_EQ(RunProgram({"/bin/sh", "-c", "true"}, "").exit_code, 0);
  EXPECT_EQ(RunProgram({"/bin/sh", "-c", "true"}, node.root()).exit_code, 127);
}

TEST(RunProgramTest, LimitsTheOutput) {
  const ProgramResult result = RunProgram({"sh", "-c", "yes"}, "");
  EXPECT_NE(result.exit_code, 0);
  EXPECT_LE(result.output.size(), std::size_t{1} << 20);
}

}  // namespace
}  // namespace berth::probe
