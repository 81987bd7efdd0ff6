#pragma once

#include <functional>
#include <string>
#include <vector>

#include "server/http.h"

namespace berth::server {

/// Returns what is not ready yet, each in words for a person; nothing if all is ready. Called for
/// each probe, on several threads at a time: it must be thread-safe and must not block.
using ReadinessCheck = std::function<std::vector<std::string>()>;

/// `GET /healthz` answers 200 "ok" as long as the process answers at all.
Route HealthzRoute();

/// `GET /livez` is the same, by the name that Kubernetes' own servers use.
Route LivezRoute();

/// `GET /readyz` answers 200 "ok" if `not_ready` returns nothing. Else it answers 503, with a line
/// for each thing that is not ready:
///
///   not ready: snapshot: nodes and pods are not listed yet
///   not ready: shutdown: draining
Route ReadyzRoute(ReadinessCheck not_ready);

/// Returns all three routes.
std::vector<Route> ProbeRoutes(const ReadinessCheck& not_ready);

}  // namespace berth::server
