#include "usage/device_hours.h"

#include <fmt/format.h>

#include <map>
#include <tuple>

namespace berth::usage {

namespace {

struct HoursOfSpan {
  const char* window;
  // Some two thousand points each, which Prometheus evaluates for 1,000 series in a second or two.
  int step_minutes;
  double DeviceHours::*hours;
};

constexpr HoursOfSpan kSpans[] = {
    {"1d", 1, &DeviceHours::day}, {"7d", 5, &DeviceHours::week}, {"30d", 15, &DeviceHours::month}};

}  // namespace

std::string DeviceHoursQuery(std::string_view window, int step_minutes, std::string_view matchers) {
  // Where Prometheus does not honour the labels of what it scrapes, "namespace" is that of Berth's
  // own pod.
  return fmt::format(
      "sum_over_time((max by (creator, namespace, accelerator) (label_replace("
      "berth_devices_in_use{{{}}}, \"namespace\", \"$1\", \"exported_namespace\", \"(.+)\")))"
      "[{}:{}m]) * {} / 60",
      matchers, window, step_minutes, step_minutes);
}

absl::StatusOr<std::vector<HoursOfUser>> AskDeviceHours(Prometheus& prometheus,
                                                        std::string_view matchers) {
  std::map<std::tuple<std::string, std::string, std::string>, DeviceHours> by_user;
  for (const HoursOfSpan& span : kSpans) {
    const auto samples =
        prometheus.Query(DeviceHoursQuery(span.window, span.step_minutes, matchers));
    if (!samples.ok()) return samples.status();
    for (const Sample& sample : *samples) {
      by_user[{std::string(sample.Label("creator")), std::string(sample.Label("namespace")),
               std::string(sample.Label("accelerator"))}].*
          span.hours = sample.value;
    }
  }
  std::vector<HoursOfUser> all;
  for (const auto& [user, hours] : by_user) {
    const auto& [creator, namespace_name, accelerator] = user;
    all.push_back({creator, namespace_name, accelerator, hours});
  }
  return all;
}

}  // namespace berth::usage
