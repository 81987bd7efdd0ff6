#pragma once

#include <memory>
#include <string>
#include <vector>

#include "server/http.h"
#include "server/metrics.h"
#include "server/observer.h"

namespace berth::server {

/// Returns an observer that counts what a listener does, in series labelled `listener="<name>"`:
///
///   berth_http_connections                               open now
///   berth_http_connections_total                         accepted
///   berth_http_handshake_failures_total{cause}
///   berth_http_limits_hit_total{limit}                   cut connections included
///   berth_http_requests_total{path,code}                 path of the route, or "other"
///   berth_http_request_duration_seconds{path}
///   berth_http_errors_total                              handlers that threw, failed accepts
///
/// Every event is passed on to `next`, which may be null. `routes` are the listener's: they give
/// the values of the label `path`. `metrics` must outlive the observer. The observer is
/// thread-safe.
std::shared_ptr<ListenerObserver> ObserveWithMetrics(Metrics& metrics, const std::string& name,
                                                     const std::vector<Route>& routes,
                                                     std::shared_ptr<ListenerObserver> next = {});

}  // namespace berth::server
