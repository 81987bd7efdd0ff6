#pragma once

#include <absl/status/statusor.h>

#include <string>

#include "config/config.h"
#include "usage/config.h"

namespace berth::cli {

/// Where to ask Prometheus: at `url`, or where the configuration says if that is empty. The result
/// need not be configured(). Returns INVALID_ARGUMENT if `url` cannot be used.
absl::StatusOr<usage::PrometheusConfig> PrometheusFor(const std::string& url,
                                                      const config::BerthConfiguration& config);

}  // namespace berth::cli
