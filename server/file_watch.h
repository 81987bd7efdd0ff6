#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace berth::server {

/// When FileWatch looks at its files.
struct FileWatchOptions {
  /// The longest time between two calls of the callback. It bounds how late a change is noticed
  /// that the system does not report: a file behind a link to another directory, a file system
  /// without notification, a system that has no more watches.
  std::chrono::milliseconds recheck{60'000};
  /// How long the directories must be quiet after a change before the callback is called, so that
  /// it sees a certificate and its key together.
  std::chrono::milliseconds settle{100};
};

/// Calls a callback whenever files may have changed. The callback must compare what it reads,
/// because it is rather called too often than too seldom.
///
/// Watches the directories of the files and not the files themselves, because files are replaced by
/// renames: of the files, or of the `..data` link through which Kubernetes mounts Secrets and
/// ConfigMaps (pkg/volume/util/atomic_writer.go).
///
/// Constructed and destroyed on one thread. Not thread-safe.
///
///   FileWatch watch({"/etc/berth/tls/tls.crt", "/etc/berth/tls/tls.key"}, {}, [&] { Reload(); });
class FileWatch {
 public:
  /// Starts a thread that calls `check`: once at the start, as soon as the directories are quiet,
  /// and then after each change and each `recheck`. The calls never overlap. Directories that never
  /// become quiet delay a call by at most 20 times `settle`.
  ///
  /// The files need not exist. Throws std::system_error if the process has no more file descriptors
  /// or threads.
  FileWatch(const std::vector<std::string>& files, FileWatchOptions options,
            std::function<void()> check);

  /// Stops the thread. Blocks while a callback runs, so the callback must not destroy this object.
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

 private:
  // What the thread runs, until the destructor begins.
  void Run();
  // Watches all directories, again if need be.
  void AddWatches();
  // Returns when the directories have been quiet for `settle`, or after 20 rounds.
  void Settle();
  // Waits up to `time`. Returns true if something changed, false if nothing did or the destructor
  // has begun.
  bool WaitForChange(std::chrono::milliseconds time);
  // Returns true once the destructor has begun.
  bool Stopped() const;

  // Those of the files, each once.
  const std::vector<std::string> directories_;
  const FileWatchOptions options_;
  const std::function<void()> check_;
  const int stop_;  // an eventfd that the destructor makes readable
  // Negative if the system has no more. Then only `recheck` finds changes.
  const int inotify_;
  std::thread thread_;
};

}  // namespace berth::server
