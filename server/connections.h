#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
#include <mutex>
#include <unordered_map>

namespace berth::server {

/// How far the shutdown of a listener has come. Phases follow one another in this order.
enum class Phase {
  /// Connections stay open between requests.
  kServing,
  /// Each reply says that the connection closes, and then it does.
  kClosing,
  /// In addition, connections that wait for a request close.
  kDraining,
};

/// The open connections of a listener, in the order in which they are cut when a new connection
/// needs room:
/// - first those on which no request has arrived yet, the oldest first;
/// - then the others; the one whose last request is longest ago first.
///
/// ConnectionContext owns it. A connection registers itself, and removes itself when it ends.
/// Thread-safe.
class Connections {
 public:
  /// How many connections that were cut, but have not ended yet, may be open beside those that
  /// Count() counts.
  static constexpr std::size_t kMostMakingWay = 64;

  /// How to reach a connection. Both are called on any thread, under the mutex of this object, so
  /// they must not block and must not call this object.
  struct Orders {
    /// The phase has changed: look at it.
    std::function<void()> wake_up;
    /// End now, whatever is under way.
    std::function<void()> cut;
  };

  /// Adds a connection on which no request has arrived yet. `connection` is only a key, and is
  /// never dereferenced.
  void Add(const void* connection, Orders orders);

  /// Removes a connection that has ended. Has no effect if it is unknown.
  void Remove(const void* connection);

  /// Records that a whole request has arrived on the connection.
  void Asked(const void* connection);

  /// Returns how many connections are open, without those that were cut.
  std::size_t Count() const;

  /// Cuts the first connection in the order above. It stays open until it has noticed. Returns
  /// false, and cuts none, if there is none to cut or if kMostMakingWay connections that were cut
  /// are still open.
  bool CutOne();

  /// Calls `wake_up` of every open connection.
  void WakeAll() const;

  /// Blocks until no connection is open, or until `deadline`. Returns whether none is open.
  bool WaitUntilNone(std::chrono::steady_clock::time_point deadline) const;

 private:
  // A connection in one of the lines below.
  struct Member {
    const void* connection = nullptr;
    Orders orders;
  };
  using Line = std::list<Member>;
  // Where a connection stands.
  struct Place {
    Line* line;
    Line::iterator member;
  };

  // Moves a connection to the end of `line`.
  static void Move(Place& place, Line& line);

  // Guards the following. Held while Orders are called.
  mutable std::mutex mutex_;
  mutable std::condition_variable none_;         // notified when no connection is open
  Line silent_;                                  // no request has arrived; the oldest first
  Line asked_;                                   // the one whose last request is longest ago first
  Line making_way_;                              // were cut, and are still open
  std::unordered_map<const void*, Place> open_;  // all of the above
};

}  // namespace berth::server
