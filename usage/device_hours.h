#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <string_view>
#include <vector>

#include "usage/holders.h"
#include "usage/prometheus.h"

namespace berth::usage {

/// The query for the device-hours of the last `window` ("1d"), by creator, namespace and
/// accelerator: one sample of berth_devices_in_use every `step_minutes`, of the extender that
/// reports most, counts for that long. `matchers` are PrometheusConfig::matchers.
///
/// A subquery and not sum_over_time of the series themselves: several extenders report the same,
/// and their scrape interval is not known.
std::string DeviceHoursQuery(std::string_view window, int step_minutes, std::string_view matchers);

/// Asks for the device-hours of the last day, week and month: of everybody who had any in one of
/// them, ascending by creator, namespace and accelerator. Errors are those of Prometheus::Query().
absl::StatusOr<std::vector<HoursOfUser>> AskDeviceHours(Prometheus& prometheus,
                                                        std::string_view matchers);

}  // namespace berth::usage
