#include "controller/idle_event.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

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

// A later time that somebody may write into the annotation. RFC 3339 has no years beyond 9999.
std::string SuggestedTime(model::Time later_than) {
  constexpr model::Time kLast = std::chrono::sys_days(std::chrono::year(9999) / 12 / 31) +
                                std::chrono::hours(24) - std::chrono::seconds(1);
  return model::Rfc3339Text(
      std::min(model::SaturatingAdd(later_than, std::chrono::hours(48)), kLast));
}

std::string WhyItStays(const IdleStay& stay) {
  return stay.why + (stay.advice.empty() ? "" : "; " + stay.advice);
}

// What becomes of an idle notebook, for people: sentences that each begin with a blank.
std::string WhatBecomesOfIt(const IdleStay& stay, std::string_view keep_annotation,
                            model::Time now) {
  const bool is_due = stay.until <= now;
  const std::string why = stay.why.empty() ? "" : fmt::format(" It stays: {}.", WhyItStays(stay));
  // Nobody knows when it goes.
  if (stay.until == model::kForever || (is_due && !why.empty())) return why;
  const std::string until = model::Rfc3339Text(stay.until);
  // One that is due waits for the limit of evictions per minute, or its eviction failed.
  const std::string when =
      is_due ? "has been due to be evicted since " + until + ", and goes when possible"
             : "will be evicted after " + until;
  return fmt::format(
      "{} It {}, unless it uses a device until then. To put that off, annotate it with {}, such as "
      "{}.",
      why, when, keep_annotation, SuggestedTime(std::max(stay.until, now)));
}

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

IdleStay StayOf(const IdlePod& pod, model::Time due, model::Duration min_age,
                std::string_view keep_annotation, model::Time now) {
  IdleStay stay{.until = due, .why = {}, .advice = {}};
  // The last one counts, even if it has passed: since then the pod has been due.
  const auto put_off = [&](model::Time until, std::string why) {
    if (until <= stay.until) return;
    stay.until = until;
    if (until > now) stay.why = std::move(why);
  };
  put_off(model::SaturatingAdd(pod.created, min_age),
          fmt::format("it is younger than {}", model::FormatDuration(min_age)));
  if (!pod.keep_until) return stay;
  if (const auto until = model::TimeFromRfc3339(*pod.keep_until)) {
    put_off(*until, fmt::format("its annotation {} says so until {}", keep_annotation,
                                model::Rfc3339Text(*until)));
    return stay;
  }
  return {.until = model::kForever,
          .why = fmt::format("its annotation {} is no time, so nobody knows for how long",
                             keep_annotation),
          .advice = "write one such as " + SuggestedTime(std::max(due, now))};
}

FaultEvent IdleEvent(const IdlePod& pod, const usage::IdleConfig& config,
                     const std::optional<IdleStay>& stay, std::string_view keep_annotation,
                     model::Time now) {
  std::string message = fmt::format(
      "This pod holds {} and did not use any of it in the last {}: the utilisation "
      "stayed below {} %.",
      pod.devices, model::FormatDuration(config.window), config.below);
  constexpr std::size_t kDay = std::string_view("2006-01-02").size();
  std::string once = "Idle " + model::Rfc3339Text(now).substr(0, kDay);
  if (stay && pod.notebook) {
    message += WhatBecomesOfIt(*stay, keep_annotation, now);
    // Whoever was told something else is told of this, too. A reason that ends at a time comes with
    // that time, and its end is no news.
    once += " " + model::Rfc3339Text(stay->until);
    if (stay->until <= now) once += stay->why;
  } else if (stay) {
    message += " It is not evicted, because it is no notebook.";
  }
  return EventAbout(pod, "Idle", std::move(message), once);
}

FaultEvent KeptEvent(const IdlePod& pod, const IdleStay& stay) {
  return EventAbout(pod, "NotEvicted",
                    fmt::format("This pod holds {} and uses nothing of it, but stays: {}.",
                                pod.devices, WhyItStays(stay)),
                    "NotEvicted " + stay.why);
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
