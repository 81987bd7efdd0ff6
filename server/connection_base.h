#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>

#include "server/connection.h"

namespace berth::server {

/// The life of a connection around its stream: counted while it lasts, with a deadline for what it
/// does now. Not thread-safe: everything but construction and destruction happens on its strand.
class ConnectionBase : public std::enable_shared_from_this<ConnectionBase> {
 public:
  ConnectionBase(ConnectionContext& context, const boost::asio::any_io_executor& strand);
  virtual ~ConnectionBase();
  ConnectionBase(const ConnectionBase&) = delete;
  ConnectionBase& operator=(const ConnectionBase&) = delete;

  /// Adds it to the listener's connections, and gives it its share. Once, after construction.
  void Register();

  /// Whether it had to make way for others: everything it does fails from then on.
  bool was_cut() const { return was_cut_; }

  /// What it holds of a body or a reply.
  BodyBudget::Share& share() { return *share_; }
  /// Whether the operation that failed last did so because others need the memory.
  bool made_way() const { return made_way_; }

  /// A whole request has arrived.
  void NoteRequest();

  virtual boost::asio::ip::tcp::socket& socket() = 0;

  ConnectionContext& context() { return context_; }
  const ListenerLimits& limits() const { return context_.limits; }
  ListenerObserver& observer() { return *context_.observer; }

  /// The operations from here to FinishedInTime end with an error once `time` has passed.
  void StartDeadline(std::chrono::milliseconds time);
  bool FinishedInTime();

  /// The wait for a request: like a deadline, but the listener's draining ends it, too. What has
  /// arrived by then is still read.
  void StartIdle();
  /// Tells the observer of one that was opened for nothing.
  void StopIdle();

 private:
  void Cut();
  void MakeWay();
  void CancelAfter(std::chrono::milliseconds time);

  ConnectionContext& context_;
  boost::asio::steady_timer timer_;
  // Tells a timer that was set for a former operation from the one under way.
  unsigned generation_ = 0;
  bool expired_ = false;
  bool idle_ = false;
  bool asked_ = false;
  bool was_cut_ = false;
  bool made_way_ = false;
  std::unique_ptr<BodyBudget::Share> share_;  // from Register on
};

}  // namespace berth::server
