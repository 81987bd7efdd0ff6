#pragma once

#include <chrono>
#include <csignal>
#include <optional>

namespace berth::server {

/// Turns SIGTERM and SIGINT into something to wait for.
///
/// Construct it before any other thread starts, because threads inherit that these signals are
/// blocked. Only one may exist at a time. Use and destroy it on the thread that constructed it.
///
///   ShutdownSignals signals;  // first thing in main()
///   auto server = StartServer();
///   signals.Wait();
///   server.Drain();  // a second signal ends the process here
class ShutdownSignals {
 public:
  /// Blocks both signals for this thread.
  ShutdownSignals();
  /// Restores the thread's former signal mask.
  ~ShutdownSignals();
  ShutdownSignals(const ShutdownSignals&) = delete;
  ShutdownSignals& operator=(const ShutdownSignals&) = delete;

  /// Blocks until one of the signals arrives, and returns its number. A second signal then ends the
  /// process at once, for a person who does not want to wait for an orderly end.
  int Wait();

  /// Like Wait(), but for `time` at most. Returns nothing if no signal has arrived by then.
  std::optional<int> WaitFor(std::chrono::milliseconds time);

 private:
  // Unblocks the signals, so that the next one has its default effect.
  void UnblockSignals();

  sigset_t signals_{};
  sigset_t former_{};
};

}  // namespace berth::server
