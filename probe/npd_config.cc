#include "probe/npd_config.h"

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probe/probes.h"
#include "probe/settings.h"
#include "probe/text.h"
#include "probe/verdict.h"

namespace berth::probe {

namespace {

using Json = nlohmann::ordered_json;

/// What a probe may take longer than three times its timeout, on a node with much to do. After that
/// node-problem-detector kills it, and does not know what hangs.
constexpr std::chrono::seconds kMargin(5);

std::string NpdTimeout(const Settings& settings) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(settings.timeout * 3 + kMargin);
  return fmt::format("{}s", seconds.count());
}

Json Arguments(const Probe& probe, const PluginOptions& options) {
  Json arguments = {"probe", std::string(probe.name)};
  for (const auto& [flag, value] : options.flags) {
    arguments.push_back(fmt::format("--{}", flag));
    arguments.push_back(value);
  }
  return arguments;
}

}  // namespace

absl::StatusOr<std::string> PluginConfig(const Probe& probe, const PluginOptions& options) {
  Settings settings;
  for (const auto& [flag, value] : options.flags) {
    if (auto status = SetFlag(probe, flag, value, settings); !status.ok()) return status;
  }
  const Json config = {
      {"plugin", "custom"},
      {"pluginConfig",
       {{"invoke_interval", ToText(options.interval)},
        {"timeout", NpdTimeout(settings)},
        {"max_output_length", kLineLength},
        {"concurrency", 1},
        {"enable_message_change_based_condition_update", false},
        {"skip_initial_status", true}}},
      {"source", fmt::format("berth-{}", probe.name)},
      {"metricsReporting", true},
      {"conditions", Json::array({{{"type", std::string(probe.condition)},
                                   {"reason", std::string(probe.well_reason)},
                                   {"message", std::string(probe.well_message)}}})},
      {"rules", Json::array({{{"type", "permanent"},
                              {"condition", std::string(probe.condition)},
                              {"reason", std::string(probe.bad_reason)},
                              {"path", options.program},
                              {"args", Arguments(probe, options)}}})}};
  return config.dump(2) + '\n';
}

absl::StatusOr<std::chrono::milliseconds> ToInterval(std::string_view text) {
  const std::optional<std::chrono::milliseconds> interval = ToDuration(text);
  if (interval && *interval >= std::chrono::seconds(1)) return *interval;
  return absl::InvalidArgumentError(
      fmt::format("--interval is '{}'; write a duration of at least 1s, such as 1m", text));
}

}  // namespace berth::probe
