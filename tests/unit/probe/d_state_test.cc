#include "probe/d_state.h"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "fake_node.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "probe/files.h"
#include "probe/verdict.h"

namespace berth::probe {
namespace {

using ::testing::HasSubstr;

class DStateTest : public testing::Test {
 protected:
  DStateTest() { node_.SetUptime(1000); }

  struct Task {
    std::string id = "4711";
    std::string name = "python3";
    std::string state = "D";
    int flags = 0x400040;
    std::string start = "5000";
    int switches = 17;
    std::string cgroup = "0::/kubepods.slice/pod1/container";
  };

  void Add(const Task& task) {
    const std::string folder = "/proc/" + task.id + "/task/" + task.id;
    node_.Write(folder + "/stat", task.id + " (" + task.name + ") " + task.state + " 1 2 3 4 5 " +
                                      std::to_string(task.flags) +
                                      " 10 11 12 13 14 15 16 17 18 19 20 21 " + task.start +
                                      " 23 24\n");
    node_.Write(folder + "/status", "Name:\tx\nvoluntary_ctxt_switches:\t" +
                                        std::to_string(task.switches) +
                                        "\nnonvoluntary_ctxt_switches:\t3\n");
    node_.Write(folder + "/cgroup", task.cgroup + "\n");
  }

  Verdict RunAt(double uptime) {
    node_.SetUptime(uptime);
    return node_.Run("d-state");
  }

  FakeNode node_;
};

TEST_F(DStateTest, IsBadOnceATaskHasHungForLong) {
  Add({});
  EXPECT_EQ(RunAt(1000), Well("python3 (4711) in state D for 0, 1 in all"));
  EXPECT_EQ(RunAt(1299).outcome, Outcome::kWell);
  EXPECT_EQ(RunAt(1300), Bad("python3 (4711) in state D for 5m, 1 in all"));
}

TEST_F(DStateTest, CountsAnewWhenTheTaskHasRunInBetween) {
  Add({});
  RunAt(1000);
  Add({.switches = 18});  // busy with a disk, say
  EXPECT_EQ(RunAt(1300).outcome, Outcome::kWell);
}

TEST_F(DStateTest, CountsAnewWhenTheIdIsAnotherTasks) {
  Add({});
  RunAt(1000);
  Add({.start = "6000"});
  EXPECT_EQ(RunAt(1300).outcome, Outcome::kWell);
}

TEST_F(DStateTest, CountsAnewWhenTheTaskWasInAnotherState) {
  Add({});
  RunAt(1000);
  Add({.state = "S"});
  EXPECT_EQ(RunAt(1200), Well("no task hangs"));
  Add({});
  EXPECT_EQ(RunAt(1300).outcome, Outcome::kWell);
}

TEST_F(DStateTest, ReadsNamesThatLookLikeAState) {
  Add({.name = "a) S 1 (b c", .state = "D"});
  RunAt(1000);
  EXPECT_THAT(RunAt(1300).message, HasSubstr("a) S 1 (b c (4711)"));
}

TEST_F(DStateTest, LeavesOutKernelThreadsAndWhatIsInNoPod) {
  Add({.id = "2", .flags = 0x208040});
  Add({.id = "3", .cgroup = "0::/system.slice/sshd.service"});
  EXPECT_EQ(RunAt(1000), Well("no task hangs"));
  node_.settings.cgroup = "";
  EXPECT_THAT(RunAt(1000).message, HasSubstr("python3 (3)"));
}

TEST_F(DStateTest, NamesWhoHasHungLongest) {
  Add({.id = "10", .name = "later"});
  RunAt(1000);
  Add({.id = "9", .name = "last"});
  EXPECT_EQ(RunAt(1300), Bad("later (10) in state D for 5m, 2 in all"));
}

TEST_F(DStateTest, IsUnknownIfItCannotRemember) {
  Add({});
  std::filesystem::create_directories(node_.root() + "/run/d-state.seen");
  EXPECT_EQ(RunAt(1000).outcome, Outcome::kUnknown);
}

/// A process in state D: the kernel has it wait until its child, made with CLONE_VFORK, ends.
/// vfork() would not do, because ThreadSanitizer makes it a fork().
class RealHungProcess {
 public:
  RealHungProcess() : pid_(fork()) {
    if (pid_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    static std::array<char, 1 << 16> stack;
    clone(&PauseForever, stack.data() + stack.size(), CLONE_VFORK | SIGCHLD, nullptr);
    _exit(0);
  }
  RealHungProcess(const RealHungProcess&) = delete;
  RealHungProcess& operator=(const RealHungProcess&) = delete;
  ~RealHungProcess() {
    kill(pid_, SIGKILL);  // this wait in state D is one that SIGKILL ends
    waitpid(pid_, nullptr, 0);
  }

  pid_t pid() const { return pid_; }

  /// Waits until it is in state D.
  bool Hangs() const {
    const std::string file = "/proc/" + std::to_string(pid_) + "/stat";
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (std::chrono::steady_clock::now() < deadline) {
      if (ReadText(file).value_or("").find(") D ") != std::string::npos) return true;
      std::this_thread::yield();
    }
    return false;
  }

 private:
  static int PauseForever(void*) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) pause();
  }

  pid_t pid_;
};

TEST(RealDStateTest, FindsAProcessThatReallyHangs) {
  const RealHungProcess process;
  ASSERT_TRUE(process.Hangs());
  FakeNode node;
  node.settings.root = "";
  node.settings.cgroup = "";
  node.settings.duration = std::chrono::seconds(1);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  Verdict verdict = node.Run("d-state");
  while (verdict.outcome != Outcome::kBad && std::chrono::steady_clock::now() < deadline) {
    verdict = node.Run("d-state");
  }
  EXPECT_EQ(verdict.outcome, Outcome::kBad) << verdict.message;
  const std::string seen = ReadText(node.settings.run_dir + "/d-state.seen").value_or("");
  EXPECT_THAT('\n' + seen, HasSubstr('\n' + std::to_string(process.pid()) + ' '));
}

}  // namespace
}  // namespace berth::probe
