#include "usage/utilization.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace berth::usage {

namespace {

constexpr model::Duration kShortestStep{15};
constexpr model::Duration kLongestStep = std::chrono::minutes(1);
constexpr int kWantedSteps = 120;
constexpr int kMostSteps = 720;
// From one moment to the next at which it is asked whether a device was used since the last one.
constexpr model::Duration kUseStep = std::chrono::minutes(10);
// The same where only the moments themselves count.
constexpr model::Duration kUseStepOfExpressions = std::chrono::minutes(5);

// In seconds, which every version of PromQL knows.
std::string InSeconds(model::Duration duration) { return fmt::format("{}s", duration.count()); }

// A metric with or without matchers: what a range can follow.
bool IsSelector(std::string_view query) {
  const auto in_name = [](char c) {
    return c == '_' || c == ':' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9');
  };
  const auto end = std::ranges::find_if_not(query, in_name);
  if (end == query.begin()) return false;
  const std::string_view rest(end, query.end());
  return rest.empty() ||
         (rest.front() == '{' && rest.back() == '}' && std::ranges::count(rest, '{') == 1);
}

// The labels of the pod that holds the device. Where Prometheus does not honour the labels of what
// it scrapes, "pod" and "namespace" are those of the exporter's own pod, which then counts for
// nothing.
std::string OfHolder(const std::string& expression) {
  return fmt::format(
      "label_replace(label_replace({}, \"pod\", \"$1\", \"exported_pod\", \"(.+)\"), "
      "\"namespace\", \"$1\", \"exported_namespace\", \"(.+)\")",
      expression);
}

std::string ByDevice(const UtilizationConfig& config, const std::string& expression) {
  std::vector<std::string> labels = {"namespace", "pod"};
  labels.insert(labels.end(), config.device_labels.begin(), config.device_labels.end());
  return fmt::format("max by ({}) ({})", fmt::join(labels, ", "), OfHolder(expression));
}

std::string PodOf(const Sample& sample) {
  return fmt::format("{}/{}", sample.Label("namespace"), sample.Label("pod"));
}

// What distinguishes the device from others of the same query.
std::vector<std::string> DeviceOf(const UtilizationConfig& config, const Sample& sample) {
  std::vector<std::string> device;
  for (const std::string& label : config.device_labels) device.emplace_back(sample.Label(label));
  return device;
}

}  // namespace

model::Duration StepOf(model::Duration window) {
  const model::Duration wanted = window / kWantedSteps;
  return std::max<model::Duration>(std::clamp(wanted, kShortestStep, kLongestStep),
                                   window / kMostSteps);
}

std::string PeakQuery(const UtilizationConfig& config, model::Duration window) {
  if (IsSelector(config.query)) {
    return ByDevice(config, fmt::format("max_over_time({}[{}])", config.query, InSeconds(window)));
  }
  return fmt::format("max_over_time(({})[{}:{}])", ByDevice(config, config.query),
                     InSeconds(window), InSeconds(StepOf(window)));
}

std::string CoverageQuery(const UtilizationConfig& config, model::Duration window) {
  return fmt::format("count_over_time(({})[{}:{}])", ByDevice(config, config.query),
                     InSeconds(window), InSeconds(StepOf(window)));
}

std::string LastUseQuery(const UtilizationConfig& config, double below, model::Duration span) {
  // Prometheus holds a sample in memory for each device and step, so the steps are long.
  const bool all_samples = IsSelector(config.query);
  const model::Duration step = all_samples ? kUseStep : kUseStepOfExpressions;
  const std::string used = all_samples
                               ? fmt::format("max_over_time({}[{}])", config.query, InSeconds(step))
                               : fmt::format("({})", config.query);
  return fmt::format("max by (namespace, pod) (max_over_time({}[{}:{}]))",
                     OfHolder(fmt::format("timestamp({} >= {})", used, below)), InSeconds(span),
                     InSeconds(step));
}

absl::StatusOr<MeasuredPods> Measure(Prometheus& prometheus, const UtilizationConfig& config,
                                     model::Duration window) {
  const auto peaks = prometheus.Query(PeakQuery(config, window));
  if (!peaks.ok()) return peaks.status();
  const auto counts = prometheus.Query(CoverageQuery(config, window));
  if (!counts.ok()) return counts.status();
  const double steps = static_cast<double>(window / StepOf(window));
  std::map<std::pair<std::string, std::vector<std::string>>, MeasuredDevice> devices;
  for (const Sample& sample : *peaks) {
    devices[{PodOf(sample), DeviceOf(config, sample)}].peak = sample.value;
  }
  for (const Sample& sample : *counts) {
    const auto found = devices.find({PodOf(sample), DeviceOf(config, sample)});
    if (found != devices.end()) found->second.coverage = std::min(1.0, sample.value / steps);
  }
  MeasuredPods pods;
  for (const auto& [device, measured] : devices) pods[device.first].push_back(measured);
  return pods;
}

absl::StatusOr<std::map<std::string, model::Time>> AskLastUse(Prometheus& prometheus,
                                                              const UtilizationConfig& config,
                                                              double below, model::Duration span) {
  const auto samples = prometheus.Query(LastUseQuery(config, below, span));
  if (!samples.ok()) return samples.status();
  std::map<std::string, model::Time> last;
  for (const Sample& sample : *samples) {
    last[PodOf(sample)] =
        model::Time(model::Duration(static_cast<model::Duration::rep>(sample.value)));
  }
  return last;
}

}  // namespace berth::usage
