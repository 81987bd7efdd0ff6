#include "server/file_watch.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

namespace berth::server {
namespace {

// A directory that never comes to rest must not keep the callback from being called.
constexpr int kMaxSettleRounds = 20;

std::vector<std::string> DirectoriesOf(const std::vector<std::string>& files) {
  std::set<std::string> directories;
  for (const std::string& file : files) {
    const std::string parent = std::filesystem::path(file).parent_path();
    directories.insert(parent.empty() ? "." : parent);
  }
  return {directories.begin(), directories.end()};
}

int MakeEventFd() {
  const int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (fd < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  return fd;
}

void Discard(int inotify) {
  std::array<char, 4096> events{};
  while (read(inotify, events.data(), events.size()) > 0) {
  }
}

}  // namespace

FileWatch::FileWatch(const std::vector<std::string>& files, FileWatchOptions options,
                     std::function<void()> check)
    : directories_(DirectoriesOf(files)),
      options_(options),
      check_(std::move(check)),
      stop_(MakeEventFd()),
      inotify_(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)),
      thread_([this] { Run(); }) {}

FileWatch::~FileWatch() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(stop_, &one, sizeof one);
  thread_.join();
  if (inotify_ >= 0) close(inotify_);
  close(stop_);
}

void FileWatch::Run() {
  while (!Stopped()) {
    // Watches are added each time, because a directory that was replaced has lost its watch.
    AddWatches();
    Settle();
    if (Stopped()) return;
    check_();
    WaitForChange(options_.recheck);
  }
}

void FileWatch::Settle() {
  for (int round = 0; round < kMaxSettleRounds && WaitForChange(options_.settle); ++round) {
  }
}

void FileWatch::AddWatches() {
  if (inotify_ < 0) return;
  for (const std::string& directory : directories_) {
    inotify_add_watch(inotify_, directory.c_str(),
                      IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO);
  }
}

bool FileWatch::WaitForChange(std::chrono::milliseconds time) {
  std::array<pollfd, 2> sources{{{stop_, POLLIN, 0}, {inotify_, POLLIN, 0}}};
  poll(sources.data(), sources.size(), static_cast<int>(time.count()));
  const bool changed = (sources[1].revents & POLLIN) != 0;
  if (changed) Discard(inotify_);
  return changed && !Stopped();
}

bool FileWatch::Stopped() const {
  pollfd stop{stop_, POLLIN, 0};
  return poll(&stop, 1, 0) > 0;
}

}  // namespace berth::server
