#pragma once

#include <chrono>

namespace berth::model {

/// A moment as the Kubernetes API writes it (metav1.Time): whole seconds of UTC.
using Time = std::chrono::sys_seconds;

/// A span of time in whole seconds; the API has nothing finer for conditions.
using Duration = std::chrono::seconds;

/// The zero metav1.Time, which the API leaves out: nobody said when.
inline constexpr Time kNoTime{};

/// Later than every moment: "this does not change by time alone".
inline constexpr Time kForever = Time::max();

/// `time` + `duration`, which is not negative, where a sum beyond the end of time is the end of
/// time: what the API tells is whatever somebody wrote.
constexpr Time SaturatingAdd(Time time, Duration duration) {
  return time > kForever - duration ? kForever : time + duration;
}

}  // namespace berth::model
