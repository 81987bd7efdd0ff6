#include "server/connection_base.h"

#include <boost/asio/post.hpp>

namespace berth::server {
namespace {

// An expired operation is cancelled again and again until it ends: a cancellation is lost when it
// falls between two steps of one operation.
constexpr std::chrono::milliseconds kCancelAgain{20};

}  // namespace

ConnectionBase::ConnectionBase(ConnectionContext& context,
                               const boost::asio::any_io_executor& strand)
    : context_(context), timer_(strand) {
  observer().OnConnectionOpened();
}

ConnectionBase::~ConnectionBase() {
  context_.connections.Remove(this);
  observer().OnConnectionClosed();
}

void ConnectionBase::Register() {
  context_.connections.Add(this, [weak = weak_from_this(), strand = timer_.get_executor()] {
    boost::asio::post(strand, [weak] {
      const auto self = weak.lock();
      if (self && self->idle_) self->StartIdle();
    });
  });
}

void ConnectionBase::StartDeadline(std::chrono::milliseconds time) {
  ++generation_;
  expired_ = false;
  CancelAfter(time);
}

bool ConnectionBase::FinishedInTime() {
  ++generation_;
  timer_.cancel();
  return !expired_;
}

void ConnectionBase::StartIdle() {
  idle_ = true;
  const bool draining = context_.phase == Phase::kDraining;
  StartDeadline(draining ? std::chrono::milliseconds(0) : limits().idle);
}

void ConnectionBase::StopIdle() {
  idle_ = false;
  FinishedInTime();
}

void ConnectionBase::CancelAfter(std::chrono::milliseconds time) {
  timer_.expires_after(time);
  timer_.async_wait(
      [weak = weak_from_this(), generation = generation_](boost::system::error_code error) {
        const auto self = weak.lock();
        if (error || !self || self->generation_ != generation) return;
        self->expired_ = true;
        boost::system::error_code ignored;
        self->socket().cancel(ignored);
        self->CancelAfter(kCancelAgain);
      });
}

}  // namespace berth::server
