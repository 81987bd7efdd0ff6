#include "cli/prometheus_option.h"

#include <fmt/format.h>

namespace berth::cli {

absl::StatusOr<usage::PrometheusConfig> PrometheusFor(const std::string& url,
                                                      const config::BerthConfiguration& config) {
  usage::PrometheusConfig prometheus = config.prometheus;
  if (url.empty()) return prometheus;
  // The credentials of the configuration are for its own Prometheus.
  prometheus.url = url;
  prometheus.token_file.clear();
  prometheus.ca_file.clear();
  const auto errors = usage::Validate(prometheus);
  if (errors.empty()) return prometheus;
  return absl::InvalidArgumentError(fmt::format("--prometheus: {}", errors.front().message));
}

}  // namespace berth::cli
