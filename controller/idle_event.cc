#include "controller/idle_event.h"

#include <fmt/format.h>

#include "absl/time/time.h"
#include "model/avoid.h"
#include "model/duration.h"

namespace berth::controller {

namespace {

// FNV-1a of 64 bits, the same in every replica.
std::uint64_t HashOfIdle(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

std::string FormatWith(const char* format, model::Time time) {
  return absl::FormatTime(format, absl::FromChrono(time), absl::UTCTimeZone());
}

std::string InRfc3339(model::Time time) { return FormatWith("%Y-%m-%dT%H:%M:%SZ", time); }

FaultEvent EventAbout(const IdlePod& pod, std::string reason, std::string message,
                      const std::string& once) {
  return {
      .namespace_name = pod.namespace_name,
      .name = pod.name,
      .uid = pod.uid,
      .reason = std::move(reason),
      .message = std::move(message),
      .is_warning = true,
      .id = fmt::format("berth-idle-{:016x}", HashOfIdle(fmt::format("{}\n{}", pod.uid, once)))};
}

}  // namespace

FaultEvent IdleEvent(const IdlePod& pod, const usage::IdleConfig& config,
                     std::optional<model::Time> evicted_at, std::string_view keep_annotation,
                     model::Time now) {
  std::string message = fmt::format(
      "This pod holds {} and did not use any of it in the last {}: the utilisation "
      "stayed below {} %.",
      pod.devices, model::FormatDuration(config.window), config.below);
  std::string once = "Idle " + FormatWith("%Y-%m-%d", now);
  if (evicted_at && *evicted_at != model::kNoTime) {
    // Whoever was told of an earlier time is told of this one, too.
    once += " " + InRfc3339(*evicted_at);
    message += fmt::format(
        " It will be evicted after {}, unless it uses a device until then. To put that off, "
        "annotate it with {}, such as {}.",
        InRfc3339(*evicted_at), keep_annotation,
        InRfc3339(model::SaturatingAdd(*evicted_at, std::chrono::hours(48))));
  } else if (evicted_at) {
    message += " It is not evicted, because it is no notebook.";
  }
  return EventAbout(pod, "Idle", std::move(message), once);
}

std::optional<std::string> WhyKept(const IdlePod& pod, model::Duration min_age,
                                   std::string_view keep_annotation, model::Time now) {
  if (pod.keep_until) {
    const auto until = model::TimeFromRfc3339(*pod.keep_until);
    if (!until) {
      return fmt::format(
          "its annotation {} is no time, so nobody knows for how long; write one such as {}",
          keep_annotation, InRfc3339(model::SaturatingAdd(now, std::chrono::hours(48))));
    }
    if (*until > now) {
      return fmt::format("its annotation {} says so until {}", keep_annotation, InRfc3339(*until));
    }
  }
  if (model::SaturatingAdd(pod.created, min_age) > now) {
    return fmt::format("it is younger than {}", model::FormatDuration(min_age));
  }
  return std::nullopt;
}

FaultEvent KeptEvent(const IdlePod& pod, const std::string& why) {
  return EventAbout(
      pod, "NotEvicted",
      fmt::format("This pod holds {} and uses nothing of it, but stays: {}.", pod.devices, why),
      "NotEvicted " + why);
}

FaultEvent IdleEvictedEvent(const IdlePod& pod, const usage::IdleConfig& config) {
  return EventAbout(
      pod, "IdleEvicted",
      fmt::format("Berth evicted this notebook, because it held {} and used nothing of it for more "
                  "than {}.",
                  pod.devices, model::FormatDuration(config.window)),
      "IdleEvicted");
}

}  // namespace berth::controller
