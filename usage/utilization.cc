#include "usage/utilization.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>

#include "kube/field_values.h"

namespace berth::usage {

namespace {

constexpr model::Duration kShortestStep{15};
constexpr model::Duration kLongestStep = std::chrono::minutes(1);
constexpr int kWantedSteps = 120;
constexpr int kMostSteps = 720;
// As kUseStep, where only the moments themselves count. Prometheus' samples may be as old, too.
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

std::string Copied(const std::string& expression, std::string_view from, std::string_view to,
                   std::string_view pattern) {
  return fmt::format("label_replace({}, \"{}\", \"$1\", \"{}\", \"{}\")", expression, to, from,
                     pattern);
}

// The labels of the pod that holds the device. Where Prometheus does not honour the labels of what
// it scrapes, "pod" and "namespace" are those of the exporter's own pod, which then counts for
// nothing. They are kept under other names, because an exporter that was made anew has another pod,
// and Prometheus refuses to have two series with the same labels.
std::string OfHolder(std::string expression) {
  for (const std::string label : {"pod", "namespace"}) {
    expression = Copied(expression, label, "scraped_" + label, "(.*)");
    expression = Copied(expression, "exported_" + label, label, "(.+)");
  }
  return expression;
}

// The greatest value for each pod that holds devices, and `labels`.
std::string MaxByHolder(std::vector<std::string> labels, const std::string& expression) {
  labels.insert(labels.begin(), {"namespace", "pod"});
  return fmt::format("max by ({}) ({})", fmt::join(labels, ", "), OfHolder(expression));
}

std::string ByDevice(const UtilizationConfig& config, const std::string& expression) {
  return MaxByHolder(config.device_labels, expression);
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

// A Unix time; kNoTime if the number is none. A query may return any number, and to convert one
// that the integer cannot hold is undefined behaviour.
model::Time TimeFrom(double seconds) {
  constexpr double kBound = 0x1p63;
  if (!(seconds > -kBound && seconds < kBound)) return model::kNoTime;
  return kube::TimeFromSeconds(static_cast<std::int64_t>(seconds));
}

}  // namespace

model::Duration StepOf(model::Duration window) {
  const model::Duration wanted = window / kWantedSteps;
  return std::max<model::Duration>(std::clamp(wanted, kShortestStep, kLongestStep),
                                   window / kMostSteps);
}

UtilizationConfig Narrowed(UtilizationConfig config, std::string_view matchers) {
  constexpr std::string_view kIgnored = ", \t\n";
  matchers = matchers.substr(0, matchers.find_last_not_of(kIgnored) + 1);
  if (matchers.empty() || !IsSelector(config.query)) return config;
  const std::size_t brace = config.query.find('{');
  if (brace == std::string::npos) {
    config.query += fmt::format("{{{}}}", matchers);
    return config;
  }
  const bool has_others =
      config.query.find_first_not_of(kIgnored, brace + 1) < config.query.size() - 1;
  config.query.insert(brace + 1, fmt::format("{}{}", matchers, has_others ? ", " : ""));
  return config;
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
  // Prometheus holds a sample in memory for each pod and step, so the steps are long.
  const bool all_samples = IsSelector(config.query);
  const model::Duration step = all_samples ? kUseStep : kUseStepOfExpressions;
  const std::string used = all_samples
                               ? fmt::format("max_over_time({}[{}])", config.query, InSeconds(step))
                               : fmt::format("({})", config.query);
  return fmt::format("max_over_time(({})[{}:{}])",
                     MaxByHolder({}, fmt::format("timestamp({} >= {})", used, below)),
                     InSeconds(span), InSeconds(step));
}

absl::StatusOr<MeasuredPods> Measure(Prometheus& prometheus, const UtilizationConfig& item,
                                     model::Duration window) {
  const UtilizationConfig config = Narrowed(item, prometheus.matchers());
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
                                                              const UtilizationConfig& item,
                                                              double below, model::Duration span) {
  const UtilizationConfig config = Narrowed(item, prometheus.matchers());
  const auto samples = prometheus.Query(LastUseQuery(config, below, span));
  if (!samples.ok()) return samples.status();
  std::map<std::string, model::Time> last;
  for (const Sample& sample : *samples) {
    const model::Time time = TimeFrom(sample.value);
    if (time != model::kNoTime) last[PodOf(sample)] = time;
  }
  return last;
}

}  // namespace berth::usage
