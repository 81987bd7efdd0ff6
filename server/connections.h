#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
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

/// The connections that a listener has open, in the order in which they make way for others: first
/// those that never asked for anything, the oldest first; then those that have asked, the one whose
/// last request is longest ago first. Thread-safe.
class Connections {
 public:
  /// So many may be on their way out beside those that Count counts.
  static constexpr std::size_t kMostMakingWay = 64;

  /// What a connection can be told; called by any thread, never blocks, and must not call back into
  /// this object.
  struct Orders {
    /// Look at the phase again.
    std::function<void()> wake_up;
    /// End now, whatever it is doing.
    std::function<void()> cut;
  };

  void Add(const void* connection, Orders orders);
  void Remove(const void* connection);

  /// A whole request of the connection's has arrived.
  void Asked(const void* connection);

  /// Those that are open and need not make way.
  std::size_t Count() const;

  /// Cuts the first in line; false where there is none, or where too many that were told so are
  /// still there.
  bool CutOne();

  /// Tells every connection to wake up.
  void WakeAll() const;

  /// Whether there was no connection left at `deadline` or before.
  bool WaitUntilNone(std::chrono::steady_clock::time_point deadline) const;

 private:
  struct Member {
    const void* connection = nullptr;
    Orders orders;
  };
  using Line = std::list<Member>;
  struct Place {
    Line* line;
    Line::iterator member;
  };

  /// To the end of a line.
  static void Move(Place& place, Line& line);

  mutable std::mutex mutex_;
  mutable std::condition_variable none_;
  Line silent_;
  Line asked_;
  Line making_way_;
  std::unordered_map<const void*, Place> open_;
};

}  // namespace berth::server
