#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <unordered_map>

namespace berth::server {

/// How far a listener is on its way out.
enum class Phase {
  kServing,
  /// Replies say that the connection closes.
  kClosing,
  /// Connections that have nothing to answer close, too.
  kDraining,
};

/// The connections that a listener has open. Thread-safe.
class Connections {
 public:
  /// `wake_up` makes the connection look at the phase again; called by any thread, never blocks.
  void Add(const void* connection, std::function<void()> wake_up);
  void Remove(const void* connection);

  std::size_t Count() const;

  /// Calls every connection's `wake_up`. It must not call back into this object.
  void WakeAll() const;

  /// Whether there was no connection left at `deadline` or before.
  bool WaitUntilNone(std::chrono::steady_clock::time_point deadline) const;

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable none_;
  std::unordered_map<const void*, std::function<void()>> open_;
};

}  // namespace berth::server
