#include "probe/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigprocmask is of POSIX, not of C
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <initializer_list>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "probe/text.h"

namespace berth::probe {

namespace {

using Clock = std::chrono::steady_clock;

/// How often the parent looks whether the child has ended, or whether the lock is free.
constexpr std::chrono::milliseconds kPause(5);
/// How long a killed child may take to end before it counts as one that cannot.
constexpr std::chrono::milliseconds kGrace(200);
constexpr rlim_t kMostOutput = 1 << 20;
constexpr int kNotStarted = 127;
constexpr int kSignalled = 128;

std::string ErrorText(int error) { return std::generic_category().message(error); }

/// A descriptor that is closed at the end.
class File {
 public:
  explicit File(int fd) : fd_(fd) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  int fd() const { return fd_; }

 private:
  int fd_;
};

/// What child and parent share.
struct Shared {
  Progress progress;
  bool answered = false;
  Outcome outcome = Outcome::kUnknown;
  std::array<char, kLineLength + 1> line{};
};

/// Shared memory, which ends with the last process that has it.
class SharedMemory {
 public:
  SharedMemory()
      : at_(mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                 0)) {
    if (at_ == MAP_FAILED) throw std::bad_alloc();
    shared_ = new (at_) Shared();
  }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory() { munmap(at_, sizeof(Shared)); }
  Shared& operator*() const { return *shared_; }
  Shared* operator->() const { return shared_; }

 private:
  void* at_;
  Shared* shared_ = nullptr;
};

std::string ContentOf(int fd) {
  std::string content;
  std::array<char, 4096> part{};
  ssize_t count = 0;
  off_t at = 0;
  while ((count = pread(fd, part.data(), part.size(), at)) > 0) {
    content.append(part.data(), static_cast<std::size_t>(count));
    at += count;
  }
  return content;
}

void Replace(int fd, std::string_view content) {
  // Only a hint for the next run: without it that one waits for the lock until its timeout.
  if (ftruncate(fd, 0) != 0) return;
  const ssize_t written = pwrite(fd, content.data(), content.size(), 0);
  static_cast<void>(written);
}

Guarded Failed(std::string detail) {
  return {.ending = Guarded::Ending::kFailed, .verdict = {}, .detail = std::move(detail)};
}

Guarded Hung(std::string detail) {
  return {.ending = Guarded::Ending::kHung, .verdict = {}, .detail = std::move(detail)};
}

void DieWithParent(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kNotStarted);  // it has ended before
}

void UseNullFor(std::initializer_list<int> descriptors) {
  const int null = open("/dev/null", O_RDWR);
  for (const int fd : descriptors) dup2(null, fd);
  if (null > 2) close(null);
}

/// Closes everything but the first three descriptors and the lock.
void CloseAllBut(int lock) {
  if (lock > 3) syscall(SYS_close_range, 3U, static_cast<unsigned>(lock) - 1, 0U);
  syscall(SYS_close_range, static_cast<unsigned>(lock) + 1, ~0U, 0U);
}

void ResetSignals() {
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGPIPE, SIGCHLD}) {
    static_cast<void>(signal(number, SIG_DFL));  // fails for no signal that exists
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

Verdict AnswerOf(const std::function<Verdict(Progress&)>& look, Progress& progress) {
  try {
    return look(progress);
  } catch (const std::exception& error) {
    return Unknown(error.what());
  }
}

[[noreturn]] void BeTheChild(pid_t parent, int lock, const std::function<Verdict(Progress&)>& look,
                             Shared& shared) {
  setsid();
  DieWithParent(parent);
  ResetSignals();
  UseNullFor({STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO});
  CloseAllBut(lock);
  fcntl(lock, F_SETFD, 0);  // programs that it starts keep the lock, too
  const Verdict verdict = AnswerOf(look, shared.progress);
  const std::string line = Line(verdict.message);
  line.copy(shared.line.data(), line.size());
  shared.outcome = verdict.outcome;
  shared.answered = true;
  _exit(0);
}

/// Waits until the child has ended, but not longer than `timeout`. Whether it has.
bool HasEnded(pid_t child, std::chrono::milliseconds timeout, int& status) {
  const auto deadline = Clock::now() + timeout;
  while (true) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return true;
    if (Clock::now() >= deadline) return false;
    std::this_thread::sleep_for(kPause);
  }
}

void Kill(pid_t child) {
  kill(-child, SIGKILL);  // its session, with what it has started
  kill(child, SIGKILL);   // which it may not have had time to make
  int status = 0;
  HasEnded(child, kGrace, status);
}

Guarded AnswerOfEnded(int status, const Shared& shared) {
  if (shared.answered) {
    return {.ending = Guarded::Ending::kAnswered,
            .verdict = {shared.outcome, shared.line.data()},
            .detail = {}};
  }
  if (WIFSIGNALED(status)) {
    return Failed(fmt::format("signal {} has ended the probe", WTERMSIG(status)));
  }
  return Failed("the probe has ended without an answer");
}

Guarded RunChild(int lock, std::chrono::milliseconds timeout,
                 const std::function<Verdict(Progress&)>& look) {
  const SharedMemory shared;
  shared->progress.Doing("the probe");  // never empty: the next run is to know that it hangs
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) return Failed(fmt::format("no process can be started: {}", ErrorText(errno)));
  if (child == 0) BeTheChild(parent, lock, look, *shared);
  int status = 0;
  if (HasEnded(child, timeout, status)) return AnswerOfEnded(status, *shared);
  const std::string doing = shared->progress.doing();
  // Tells who waits for the lock, and who comes while it is kept. Whoever gets it at once removes
  // this: then nobody hangs any more.
  Replace(lock, doing);
  Kill(child);
  return Hung(fmt::format("{} has not ended in {}", doing, ToText(timeout)));
}

std::string MakeFolderOf(const std::string& file) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(file).parent_path(), error);
  return error ? error.message() : "";
}

/// Locks the file. Nothing: it is locked now. Otherwise why it is not.
std::optional<Guarded> Lock(int fd, std::chrono::milliseconds timeout) {
  // Twice, because others may be waiting, too.
  const auto deadline = Clock::now() + 2 * timeout;
  bool has_waited = false;
  while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    has_waited = true;
    const std::string hangs = ContentOf(fd);
    if (!hangs.empty()) return Hung(fmt::format("{} of an earlier run still hangs", hangs));
    if (Clock::now() >= deadline) return Failed("another run is still going on");
    std::this_thread::sleep_for(kPause);
  }
  // Whoever this one has waited for has given up just now. To try the same again would take as
  // long, and everybody who waits would.
  const std::string has_hung = ContentOf(fd);
  if (has_waited && !has_hung.empty()) return Hung(fmt::format("{} hangs", has_hung));
  Replace(fd, "");
  return std::nullopt;
}

[[noreturn]] void BeTheProgram(pid_t parent, std::vector<char*>& arguments, int output,
                               const std::string& root) {
  DieWithParent(parent);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  const rlimit most{kMostOutput, kMostOutput};
  setrlimit(RLIMIT_FSIZE, &most);
  setenv("LC_ALL", "C", 1);
  if (root.empty() || (chroot(root.c_str()) == 0 && chdir("/") == 0)) {
    execvp(arguments.front(), arguments.data());
  }
  const std::string error = ErrorText(errno);
  const ssize_t written = write(STDOUT_FILENO, error.data(), error.size());
  static_cast<void>(written);
  _exit(kNotStarted);
}

int ExitCode(int status) {
  return WIFSIGNALED(status) ? kSignalled + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

void Progress::Doing(std::string_view what) {
  const std::size_t length = what.copy(doing_.data(), doing_.size() - 1);
  doing_[length] = '\0';
}

std::string Progress::doing() const {
  return {doing_.begin(), std::find(doing_.begin(), doing_.end(), '\0')};
}

Guarded RunGuarded(const GuardOptions& options, const std::function<Verdict(Progress&)>& look) {
  const std::string error = MakeFolderOf(options.lock_file);
  if (!error.empty()) return Failed(fmt::format("{}: {}", options.lock_file, error));
  const File lock(open(options.lock_file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (lock.fd() < 0) return Failed(fmt::format("{}: {}", options.lock_file, ErrorText(errno)));
  if (const auto refused = Lock(lock.fd(), options.timeout)) return *refused;
  return RunChild(lock.fd(), options.timeout, look);
}

ProgramResult RunProgram(const std::vector<std::string>& arguments, const std::string& root) {
  const File output(memfd_create("output", MFD_CLOEXEC));
  std::vector<std::string> own = arguments;
  std::vector<char*> argv;
  argv.reserve(own.size() + 1);
  for (std::string& argument : own) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t program = fork();
  if (program < 0) return {kNotStarted, ErrorText(errno)};
  if (program == 0) BeTheProgram(parent, argv, output.fd(), root);
  int status = 0;
  while (waitpid(program, &status, 0) < 0 && errno == EINTR) {
  }
  return {ExitCode(status), ContentOf(output.fd())};
}

}  // namespace berth::probe
