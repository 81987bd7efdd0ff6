#pragma once

#include <absl/status/statusor.h>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "probe/probes.h"

namespace berth::probe {

/// How node-problem-detector is to run a probe.
struct PluginOptions {
  /// Path of the program berth where node-problem-detector runs.
  std::string program = "/usr/bin/berth";
  /// How often. Not longer than half of the `minDuration` that a condition has in Berth.
  std::chrono::milliseconds interval = std::chrono::minutes(1);
  /// Flags of the probe: name without dashes, and value.
  std::vector<std::pair<std::string, std::string>> flags;
};

/// The JSON of a custom-plugin-monitor of node-problem-detector 1.36
/// (pkg/custompluginmonitor/types) that runs the probe and publishes its condition. There is only
/// one condition in it, and the initial status is skipped: otherwise node-problem-detector
/// publishes, whenever it starts, that all is well before it has looked. Returns InvalidArgument,
/// with what to write instead, for flags that the probe does not take.
absl::StatusOr<std::string> PluginConfig(const Probe& probe, const PluginOptions& options);

/// How often a probe is to run, of a text such as "1m". On an error, what to write instead.
absl::StatusOr<std::chrono::milliseconds> ToInterval(std::string_view text);

}  // namespace berth::probe
