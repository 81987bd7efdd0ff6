#pragma once

#include <absl/status/statusor.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/time.h"
#include "usage/config.h"
#include "usage/prometheus.h"

// What Prometheus has measured of the devices that pods hold.

namespace berth::usage {

/// What was measured of one device in the window. A plain value.
struct MeasuredDevice {
  /// The greatest utilisation, in percent.
  double peak = 0;
  /// For how much of the window it was measured: 0 to 1.
  double coverage = 0;

  friend bool operator==(const MeasuredDevice&, const MeasuredDevice&) = default;
};

/// The devices of pods, by "<namespace>/<pod>".
using MeasuredPods = std::map<std::string, std::vector<MeasuredDevice>>;

/// The same with PrometheusConfig::matchers added to the query, if that is only a selector: where
/// Prometheus has several clusters, pods of the same name must not be taken for each other. Other
/// expressions stay as they are.
UtilizationConfig Narrowed(UtilizationConfig config, std::string_view matchers);

/// The query for the greatest utilisation of each device in the window. If the configured query is
/// only a selector (a metric with or without matchers), all its samples count; otherwise its values
/// at the moments of CoverageQuery().
std::string PeakQuery(const UtilizationConfig& config, model::Duration window);

/// The query for the number of moments of the window at which each device was measured. They are
/// StepOf(window) apart.
std::string CoverageQuery(const UtilizationConfig& config, model::Duration window);

/// From one moment to the next: a minute, or less where the window is shorter than two hours, and a
/// 720th of windows of more than half a day. At least 15 s.
model::Duration StepOf(model::Duration window);

/// How long after the use the time may be, at most, that LastUseQuery() tells.
inline constexpr model::Duration kUseStep = std::chrono::minutes(10);

/// The query for the last time within `span` at which a device of each pod was used at least
/// `below` percent, as Unix time. Of a selector all samples count, and the time is the end of the
/// kUseStep in which the use was; any other query counts every five minutes.
std::string LastUseQuery(const UtilizationConfig& config, double below, model::Duration span);

/// Asks what was measured, in the cluster of Prometheus::matchers(). Errors are those of
/// Prometheus::Query().
absl::StatusOr<MeasuredPods> Measure(Prometheus& prometheus, const UtilizationConfig& item,
                                     model::Duration window);

/// When each pod, by "<namespace>/<pod>", last used a device; only those that did within `span`,
/// and none for which Prometheus answers what is no time.
absl::StatusOr<std::map<std::string, model::Time>> AskLastUse(Prometheus& prometheus,
                                                              const UtilizationConfig& item,
                                                              double below, model::Duration span);

}  // namespace berth::usage
