#pragma once

#include <chrono>

namespace berth::model {

/// A moment as the Kubernetes API writes it (metav1.Time): whole seconds in UTC. Decisions take the
/// present moment as an argument and read no clock.
using Time = std::chrono::sys_seconds;

/// A span of time in whole seconds, the resolution of the times of conditions in the API.
using Duration = std::chrono::seconds;

/// An unknown time. Stands for the zero metav1.Time, which the API omits. Its value is 1970-01-01.
inline constexpr Time kNoTime{};

/// Later than every other moment. As the end of validity it means that time alone changes nothing.
inline constexpr Time kForever = Time::max();

/// Returns `time` + `duration`, but no more than kForever: `time` may be anything that somebody
/// wrote into the API. `duration` must not be negative.
constexpr Time SaturatingAdd(Time time, Duration duration) {
  return time > kForever - duration ? kForever : time + duration;
}

}  // namespace berth::model
