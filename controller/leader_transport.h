#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "kube/timer.h"
#include "kube/transport.h"

namespace berth::controller {

/// Lets requests that change something pass only while this process leads. Everything that the
/// controller writes goes through here, so that no write can forget to ask, however many requests
/// it takes and however long each of them waits for an address, a connection or a handshake.
///
/// Without the right a request ends as Cancelled, like one that was stopped. With it, no byte is
/// sent after the right's end as it was known when the request began; the server has then as long
/// to carry it out as the lease outlives the right (5 s with LeaderElection's defaults), before
/// anybody else may lead.
///
/// As thread-safe as the transport behind it.
class LeaderTransport final : public kube::Transport {
 public:
  using Clock = kube::Timer::Clock;
  /// Nothing: this process may not write now.
  using LeadsUntil = std::function<std::optional<Clock::time_point>()>;

  /// `transport` must outlive this.
  LeaderTransport(kube::Transport* transport, LeadsUntil leads_until)
      : transport_(transport), leads_until_(std::move(leads_until)) {}

  absl::Status Send(const kube::HttpRequest& request, kube::HttpSink& sink) override;
  void Stop() override { transport_->Stop(); }

 private:
  kube::Transport* const transport_;
  const LeadsUntil leads_until_;
};

}  // namespace berth::controller
