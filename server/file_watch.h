#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace berth::server {

struct FileWatchOptions {
  /// Changes are looked for this often even if the system tells of none: files behind links to
  /// other directories, file systems without notification, a system out of watches.
  std::chrono::milliseconds recheck{60'000};
  /// How long a directory must be quiet after a change, so that a certificate and its key are seen
  /// together.
  std::chrono::milliseconds settle{100};
};

/// Tells when files may have changed. Watches the directories that hold them, because files are
/// replaced by renames: of themselves, or of the `..data` link through which Kubernetes mounts
/// Secrets and ConfigMaps (pkg/volume/util/atomic_writer.go). The callback compares what it reads;
/// it is called too often rather than too seldom. Not thread-safe: made and destroyed by one
/// thread.
class FileWatch {
 public:
  /// Throws std::system_error when the process is out of descriptors or threads.
  /// Calls `check` on a thread of its own: once at the start and then after each change.
  FileWatch(const std::vector<std::string>& files, FileWatchOptions options,
            std::function<void()> check);
  /// Waits for a running callback.
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

 private:
  void Run();
  void AddWatches();
  void Settle();
  bool WaitForChange(std::chrono::milliseconds time);
  bool Stopped() const;

  const std::vector<std::string> directories_;
  const FileWatchOptions options_;
  const std::function<void()> check_;
  const int stop_;
  // Negative where the system has no more: then there is only the periodic check.
  const int inotify_;
  std::thread thread_;
};

}  // namespace berth::server
