#include "server/connection_base.h"

#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

namespace berth::server {
namespace {

// An expired operation is cancelled again and again until it ends, because a cancellation is lost
// if it falls between two steps of one operation.
constexpr std::chrono::milliseconds kCancelAgain{20};

}  // namespace

ConnectionBase::ConnectionBase(ConnectionContext& context,
                               const boost::asio::any_io_executor& strand)
    : context_(context), timer_(strand), wake_timer_(strand) {
  observer().OnConnectionOpened();
}

ConnectionBase::~ConnectionBase() {
  context_.connections.Remove(this);
  observer().OnConnectionClosed();
}

std::function<void()> ConnectionBase::Order(void (*act)(ConnectionBase&)) {
  return [weak = weak_from_this(), strand = timer_.get_executor(), act] {
    boost::asio::post(strand, [weak, act] {
      if (const auto self = weak.lock()) act(*self);
    });
  };
}

void ConnectionBase::Register() {
  context_.connections.Add(this, {.wake_up = Order([](ConnectionBase& self) { self.OnPhase(); }),
                                  .cut = Order([](ConnectionBase& self) { self.Cut(); })});
  share_ = std::make_unique<BodyBudget::Share>(context_.bodies,
                                               Order([](ConnectionBase& self) { self.MakeWay(); }));
}

void ConnectionBase::NoteRequest() {
  got_request_ = true;
  context_.connections.Asked(this);
}

void ConnectionBase::StartDeadline(std::chrono::milliseconds time) {
  ++generation_;
  expired_ = false;
  made_way_ = false;
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
  const bool in_time = FinishedInTime();
  const bool draining = context_.phase == Phase::kDraining;
  if (!in_time && !draining && !got_request_) observer().OnLimit(Limit::kIdleTime);
}

std::function<void()> ConnectionBase::Waker() {
  return Order([](ConnectionBase& self) { self.WakeUp(); });
}

boost::asio::awaitable<void> ConnectionBase::AwaitWake(std::chrono::milliseconds time) {
  if (!std::exchange(is_woken_, false)) {
    wake_timer_.expires_after(time);
    boost::system::error_code ignored;
    auto token = boost::asio::redirect_error(boost::asio::use_awaitable, ignored);
    co_await wake_timer_.async_wait(token);
    is_woken_ = false;
  }
}

void ConnectionBase::OnPhase() {
  if (idle_) StartIdle();
  WakeUp();
}

void ConnectionBase::WakeUp() {
  is_woken_ = true;
  wake_timer_.cancel();
}

void ConnectionBase::Cut() {
  was_cut_ = true;
  boost::system::error_code ignored;
  socket().close(ignored);
}

// Ends the wait for the client now, as a deadline would.
void ConnectionBase::MakeWay() {
  if (!share_->IsLeaving()) return;
  made_way_ = true;
  CancelAfter(std::chrono::milliseconds(0));
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
