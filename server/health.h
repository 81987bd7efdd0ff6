#pragma once

#include <functional>
#include <string>
#include <vector>

#include "server/http.h"

namespace berth::server {

/// What is not ready yet, in words for a person; empty: all is. Thread-safe, does not block.
using ReadinessCheck = std::function<std::vector<std::string>()>;

/// `GET /healthz`: 200 while the process serves at all.
Route HealthzRoute();

/// `GET /livez`, by the name that Kubernetes' own servers have for it: the same.
Route LivezRoute();

/// `GET /readyz`: 200, or 503 with one line for each thing that is not ready.
Route ReadyzRoute(ReadinessCheck not_ready);

/// All of them.
std::vector<Route> ProbeRoutes(const ReadinessCheck& not_ready);

}  // namespace berth::server
