#include "kube/exec_plugin.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "absl/status/status.h"
#include "fmt/format.h"

namespace berth::kube {
namespace {

constexpr std::size_t kMostOutput = std::size_t{1} << 20;
constexpr int kStopPollMillis = 100;

/// A descriptor that is closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { Close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }
  void Close() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

std::vector<std::string> EnvironmentFor(const ExecPlugin& plugin) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    const std::string_view name = text.substr(0, text.find('='));
    const bool replaced = std::ranges::any_of(
        plugin.environment, [name](const auto& own) { return own.first == name; });
    if (!replaced) variables.emplace_back(text);
  }
  for (const auto& [name, value] : plugin.environment) {
    variables.push_back(fmt::format("{}={}", name, value));
  }
  return variables;
}

/// As posix_spawn() takes them; valid as long as `texts`.
std::vector<char*> PointersTo(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Starts the plugin with `output` as its standard output. Returns 0, or the error of the system.
int Spawn(const ExecPlugin& plugin, int output, pid_t& pid) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  // What this process blocks or ignores, the plugin hears as from a shell.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  sigset_t usual;
  sigemptyset(&usual);
  for (const int signal : {SIGPIPE, SIGINT, SIGTERM}) sigaddset(&usual, signal);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<std::string> words = plugin.arguments;
  words.insert(words.begin(), plugin.command);
  std::vector<std::string> variables = EnvironmentFor(plugin);
  const int error = posix_spawnp(&pid, plugin.command.c_str(), &actions, &attributes,
                                 PointersTo(words).data(), PointersTo(variables).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

absl::Status CannotStart(const ExecPlugin& plugin, int error) {
  if (error != ENOENT) {
    return absl::UnavailableError(
        fmt::format("exec plugin {} cannot be run: {}", plugin.command, std::strerror(error)));
  }
  std::string text = fmt::format(
      "exec plugin {}, by which the kubeconfig has you log in, is not there; install it, or put it "
      "into $PATH",
      plugin.command);
  if (!plugin.install_hint.empty()) text += ":\n" + plugin.install_hint;
  return absl::UnavailableError(text);
}

/// Reads until the plugin has closed its output.
absl::Status ReadAll(int from, const ExecPlugin& plugin, const std::function<bool()>& stopped,
                     std::string& output) {
  std::array<char, 4096> piece{};
  while (true) {
    if (stopped()) return absl::CancelledError("stopped");
    pollfd waiting{.fd = from, .events = POLLIN, .revents = 0};
    if (poll(&waiting, 1, kStopPollMillis) <= 0) continue;
    const ssize_t count = read(from, piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return absl::OkStatus();
    output.append(piece.data(), static_cast<std::size_t>(count));
    if (output.size() > kMostOutput) {
      return absl::UnavailableError(
          fmt::format("exec plugin {} wrote more than {} bytes", plugin.command, kMostOutput));
    }
  }
}

int AwaitEnd(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

absl::Status PluginVerdict(const ExecPlugin& plugin, int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return absl::OkStatus();
  if (WIFEXITED(status)) {
    return absl::UnavailableError(fmt::format("exec plugin {} failed with exit code {}",
                                              plugin.command, WEXITSTATUS(status)));
  }
  return absl::UnavailableError(
      fmt::format("exec plugin {} was ended by signal {}", plugin.command, WTERMSIG(status)));
}

}  // namespace

absl::StatusOr<std::string> RunExecPlugin(const ExecPlugin& plugin,
                                          const std::function<bool()>& stopped) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "no pipe for an exec plugin");
  const Descriptor from(ends[0]);
  Descriptor to(ends[1]);
  pid_t pid = 0;
  const int error = Spawn(plugin, to.get(), pid);
  to.Close();
  if (error != 0) return CannotStart(plugin, error);
  std::string output;
  const absl::Status read = ReadAll(from.get(), plugin, stopped, output);
  if (!read.ok()) kill(pid, SIGKILL);
  const int status = AwaitEnd(pid);
  if (!read.ok()) return read;
  const absl::Status ended = PluginVerdict(plugin, status);
  if (!ended.ok()) return ended;
  return output;
}

}  // namespace berth::kube
