#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/accelerator.h"
#include "model/time.h"
#include "usage/config.h"
#include "usage/holdings.h"
#include "usage/prometheus.h"
#include "usage/utilization.h"

// Which devices are held and not used.

namespace berth::usage {

/// What is known of the use of a pod's devices.
enum class Use {
  /// All its devices were measured for the whole window, and none was used.
  kIdle,
  /// Some devices were used and others, as in kIdle, were not.
  kPartlyIdle,
  /// No device was found idle, and at least one was used.
  kUsed,
  /// The pod is younger than the window.
  kYoung,
  /// Devices of the pod were not measured for nine tenths of the window: nobody exports their
  /// utilisation, the exporter was away, or the pod waited for its node for most of its life.
  kNoData,
};

/// How much of the window has to have been measured. An exporter that restarts misses some minutes.
inline constexpr double kLeastCoverage = 0.9;

/// What a pod holds of one resource, and whether it uses it. A plain value.
struct PodUse {
  Holding holding;
  Use use = Use::kNoData;
  /// How many of the devices are idle.
  std::int64_t idle_devices = 0;
  /// The greatest utilisation of a device in the window, in percent. Nothing if none was measured.
  std::optional<double> peak;

  friend bool operator==(const PodUse&, const PodUse&) = default;
};

/// Judges one holding by what was measured of the pod's devices in the window before `now`; nothing
/// was if `devices` is null.
PodUse JudgeUse(const Holding& holding, const std::vector<MeasuredDevice>* devices,
                const IdleConfig& config, model::Time now);

/// Returns the item of `config` by which an accelerator is measured; null if none is. `accelerator`
/// may be empty.
const UtilizationConfig* MeasuredBy(const IdleConfig& config, std::string_view accelerator);

/// Asks Prometheus about all `holdings`, and judges each, in their order. Slices are judged by the
/// same item as their accelerator. Errors are those of Prometheus::Query().
absl::StatusOr<std::vector<PodUse>> AskUse(Prometheus& prometheus, const IdleConfig& config,
                                           const std::vector<Holding>& holdings, model::Time now);

/// Sums up the idle devices by creator, namespace and accelerator: the Greatest() of them.
std::vector<DevicesInUse> CountIdle(const std::vector<PodUse>& uses, std::size_t most);

/// When the pods of `holdings`, by "<namespace>/<pod>", last used a device within `span`, as far as
/// Prometheus knows.
absl::StatusOr<std::map<std::string, model::Time>> AskLastUse(Prometheus& prometheus,
                                                              const IdleConfig& config,
                                                              const std::vector<Holding>& holdings,
                                                              model::Duration span);

}  // namespace berth::usage
