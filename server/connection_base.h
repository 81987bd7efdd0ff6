#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>

#include "server/connection.h"

namespace berth::server {

/// The part of a connection that does not depend on its stream, plain or TLS: its entry in the
/// listener's Connections, its share of the body budget, and the deadline of the operation under
/// way.
///
/// A shared_ptr owns it, which the connection's coroutine holds until the connection ends. Not
/// thread-safe: everything but construction and destruction happens on `strand`.
class ConnectionBase : public std::enable_shared_from_this<ConnectionBase> {
 public:
  /// Reports the connection to the observer as opened. `context` must outlive this.
  ConnectionBase(ConnectionContext& context, const boost::asio::any_io_executor& strand);

  /// Removes the connection from the listener's Connections, and reports it as closed.
  virtual ~ConnectionBase();
  ConnectionBase(const ConnectionBase&) = delete;
  ConnectionBase& operator=(const ConnectionBase&) = delete;

  /// Adds the connection to the listener's Connections, and creates its share of the body budget.
  /// Call it once, after a shared_ptr owns the object.
  void Register();

  /// Returns true once this connection was closed to make room for a new one. All its operations
  /// fail from then on.
  bool was_cut() const { return was_cut_; }

  /// What the connection holds of a body or a reply. Valid after Register().
  BodyBudget::Share& share() { return *share_; }

  /// Returns true if, since the last StartDeadline(), operations were cancelled because other
  /// connections need the memory of this one.
  bool made_way() const { return made_way_; }

  /// Records that a whole request has arrived. The connection is then among the last to be cut for
  /// a new one, and running out of idle time is normal for it.
  void NoteRequest();

  /// The TCP socket below the stream.
  virtual boost::asio::ip::tcp::socket& socket() = 0;

  /// What the listener shares with its connections.
  ConnectionContext& context() { return context_; }
  const ListenerLimits& limits() const { return context_.limits; }
  ListenerObserver& observer() { return *context_.observer; }

  /// Begins an operation that may take `time`. When the time is over, the operation is cancelled
  /// and ends with an error, and so does every further one until FinishedInTime() is called.
  void StartDeadline(std::chrono::milliseconds time);

  /// Ends the operation's deadline. Returns false if the operation was cancelled, because its time
  /// was over or because it had to make way.
  bool FinishedInTime();

  /// Begins the wait for a request. The deadline is limits().idle; when the listener drains, the
  /// wait ends at once. A request that has arrived by then is still read.
  void StartIdle();

  /// Ends the wait for a request. Reports Limit::kIdleTime if the time was over, the listener does
  /// not drain, and no request has ever arrived on this connection.
  void StopIdle();

  /// Returns a function that ends AwaitWake(), the present one or the next. It may be called on any
  /// thread while this object exists.
  std::function<void()> Waker();

  /// Waits until the function of Waker() is called, the listener's phase changes, or `time` is
  /// over.
  boost::asio::awaitable<void> AwaitWake(std::chrono::milliseconds time);

 private:
  // Returns a function that calls `act` on the strand, if the connection is open by then.
  std::function<void()> Order(void (*act)(ConnectionBase&));
  // The listener's phase has changed. Ordered by Connections.
  void OnPhase();
  // See Waker().
  void WakeUp();
  // Closes the socket. Ordered by Connections.
  void Cut();
  // Cancels the operation under way. Ordered by the body budget.
  void MakeWay();
  // Cancels the socket's operations after `time`, again and again until FinishedInTime().
  void CancelAfter(std::chrono::milliseconds time);

  ConnectionContext& context_;
  // Of the operation under way.
  boost::asio::steady_timer timer_;
  // Of AwaitWake().
  boost::asio::steady_timer wake_timer_;
  bool is_woken_ = false;
  // Counts operations, so that a timer of a former operation does not cancel the one under way.
  unsigned generation_ = 0;
  bool expired_ = false;      // the operation under way was cancelled
  bool idle_ = false;         // between StartIdle() and StopIdle()
  bool got_request_ = false;  // a whole request has arrived
  bool was_cut_ = false;
  bool made_way_ = false;
  std::unique_ptr<BodyBudget::Share> share_;  // null before Register()
};

}  // namespace berth::server
