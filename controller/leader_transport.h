#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "kube/timer.h"
#include "kube/transport.h"

namespace berth::controller {

/// A transport that lets requests that write pass only while this process leads; GET always passes.
/// Everything that the controller writes, except the Lease, goes through one. So no write can
/// forget to ask, however many requests it takes and however long each waits for an address, a
/// connection or a handshake.
///
/// If this process does not lead, Send() returns Cancelled, as for a request that was stopped, and
/// sends nothing. If it leads, no byte is sent after the end of the right as it was known when the
/// request began (HttpRequest::send_by). The server then has as much time to carry out the request
/// as the lease lasts longer than the right, 5 s with LeaderElection's defaults, before another
/// process may lead.
///
/// As thread-safe as the transport behind it.
class LeaderTransport final : public kube::Transport {
 public:
  using Clock = kube::Timer::Clock;
  /// Returns until when this process may write; nothing if it may not. See
  /// LeaderElection::LeadsUntil(). Called on the thread of Send().
  using LeadsUntil = std::function<std::optional<Clock::time_point>()>;

  /// `transport` must outlive this.
  LeaderTransport(kube::Transport* transport, LeadsUntil leads_until)
      : transport_(transport), leads_until_(std::move(leads_until)) {}

  /// Blocks like the Send() of `transport`, and returns its errors.
  absl::Status Send(const kube::HttpRequest& request, kube::HttpSink& sink) override;

  /// Stops the transport behind it, for all its users.
  void Stop() override { transport_->Stop(); }

 private:
  kube::Transport* const transport_;
  const LeadsUntil leads_until_;
};

}  // namespace berth::controller
