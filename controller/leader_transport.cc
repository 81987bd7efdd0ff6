#include "controller/leader_transport.h"

namespace berth::controller {

absl::Status LeaderTransport::Send(const kube::HttpRequest& request, kube::HttpSink& sink) {
  if (request.method == kube::HttpMethod::kGet) return transport_->Send(request, sink);
  const std::optional<Clock::time_point> end = leads_until_();
  if (!end) return absl::CancelledError("another controller leads, or none does");
  kube::HttpRequest limited = request;
  limited.send_by = end;
  return transport_->Send(limited, sink);
}

}  // namespace berth::controller
