#pragma once

#include <chrono>
#include <csignal>
#include <optional>

namespace berth::server {

/// Turns SIGTERM and SIGINT into something to wait for. Make it before any thread: threads inherit
/// that these signals are blocked. One at a time; destroyed by the thread that made it, which then
/// gets its former signals back.
class ShutdownSignals {
 public:
  ShutdownSignals();
  ~ShutdownSignals();
  ShutdownSignals(const ShutdownSignals&) = delete;
  ShutdownSignals& operator=(const ShutdownSignals&) = delete;

  /// Blocks until a signal comes, and gives its number. A second signal then ends the process at
  /// once, for a person who does not want to wait for an orderly end.
  int Wait();

  /// Like Wait, for `time` at most; nothing if none came.
  std::optional<int> WaitFor(std::chrono::milliseconds time);

 private:
  void LetTheNextOneKill();

  sigset_t signals_{};
  sigset_t former_{};
};

}  // namespace berth::server
