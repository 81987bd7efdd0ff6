#pragma once

#include <optional>
#include <string_view>

#include "model/pod.h"
#include "model/time.h"

namespace berth::policies::scheduling {

/// Returns how long the pod runs at most by its own account, which is above 0; nullopt if it does
/// not say. `annotation` is the full name of max-runtime (model/annotation.h).
std::optional<model::Duration> MaxRuntimeOf(const model::Pod& pod, std::string_view annotation);

}  // namespace berth::policies::scheduling
