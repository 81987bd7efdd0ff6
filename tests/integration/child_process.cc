#include "tests/integration/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <stdexcept>

namespace berth::tests {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{20};

// Read end and write end.
std::array<int, 2> MakePipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
  return ends;
}

std::vector<char*> Pointers(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

/// Sanitizers hold for what a test starts as for the test.
std::vector<std::string> WithSanitizers(std::vector<std::string> environment) {
  for (const char* name : {"ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"}) {
    const char* value = std::getenv(name);
    if (value != nullptr) environment.push_back(std::string(name) + "=" + value);
  }
  return environment;
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& words, const std::string& input,
                           const std::vector<std::string>& environment) {
  const std::array<int, 2> in = MakePipe();
  const std::array<int, 2> out = MakePipe();
  const std::array<int, 2> err = MakePipe();
  const std::vector<std::string> variables = WithSanitizers(environment);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);
  const int failed = posix_spawn(&pid_, words.front().c_str(), &actions, nullptr,
                                 Pointers(words).data(), Pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  for (const int end : {in[0], out[1], err[1]}) close(end);
  output_.fd = out[0];
  error_.fd = err[0];
  const bool written =
      failed == 0 && write(in[1], input.data(), input.size()) == static_cast<ssize_t>(input.size());
  close(in[1]);
  if (failed != 0) pid_ = -1;
  if (!written) throw std::runtime_error("cannot run " + words.front());
}

ChildProcess::~ChildProcess() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  for (const Stream* stream : {&output_, &error_}) {
    if (stream->fd >= 0) close(stream->fd);
  }
}

void ChildProcess::Signal(int signal) const { kill(pid_, signal); }

void ChildProcess::ReadFrom(Stream& stream) {
  std::array<char, 4096> chunk{};
  const ssize_t count = read(stream.fd, chunk.data(), chunk.size());
  if (count > 0) {
    stream.text.append(chunk.data(), static_cast<std::size_t>(count));
    return;
  }
  close(stream.fd);
  stream.fd = -1;
}

// False once both streams have ended, or nothing comes.
bool ChildProcess::ReadSome() {
  if (output_.fd < 0 && error_.fd < 0) return false;
  std::array<pollfd, 2> wanted = {{{output_.fd, POLLIN, 0}, {error_.fd, POLLIN, 0}}};
  const auto patience = std::chrono::milliseconds(kPatience).count();
  if (poll(wanted.data(), wanted.size(), static_cast<int>(patience)) <= 0) return false;
  if (wanted[0].revents != 0) ReadFrom(output_);
  if (wanted[1].revents != 0) ReadFrom(error_);
  return true;
}

bool ChildProcess::Await(const Stream& stream, const std::string& text) {
  const auto deadline = Clock::now() + kPatience;
  while (stream.text.find(text) == std::string::npos) {
    if (Clock::now() > deadline || !ReadSome()) return false;
  }
  return true;
}

bool ChildProcess::AwaitError(const std::string& text) { return Await(error_, text); }

bool ChildProcess::AwaitOutput(const std::string& text) { return Await(output_, text); }

int ChildProcess::Wait() {
  const auto deadline = Clock::now() + kPatience;
  while (output_.fd >= 0 || error_.fd >= 0) {
    if (Clock::now() > deadline || !ReadSome()) return -1;
  }
  // Both streams have ended, so the process has too, or is about to.
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace berth::tests
