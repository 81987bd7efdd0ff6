#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "controller/fault_event.h"
#include "model/pod.h"
#include "model/time.h"
#include "usage/config.h"

namespace berth::controller {

/// A pod that uses none of its devices. A plain value.
struct IdlePod {
  std::string namespace_name;
  std::string name;
  std::string uid;
  model::Time created = model::kNoTime;
  /// "2 A100", "1 nvidia.com/gpu".
  std::string devices;
  bool notebook = false;
  /// The value of the annotation keep-idle-until. Nothing if the pod does not have it.
  std::optional<std::string> keep_until;

  friend bool operator==(const IdlePod&, const IdlePod&) = default;
};

/// Returns what is told of the pod, reason Idle, once on each day (UTC) for each `evicted_at`. That
/// is when it will be evicted; nothing if no pod is, kNoTime if this one is not, because it is no
/// notebook.
FaultEvent IdleEvent(const IdlePod& pod, const usage::IdleConfig& config,
                     std::optional<model::Time> evicted_at, std::string_view keep_annotation,
                     model::Time now);

/// Returns why the pod is not evicted now, as the end of a sentence; nothing if it may be.
/// `min_age` is IdlePodsConfig's.
std::optional<std::string> WhyKept(const IdlePod& pod, model::Duration min_age,
                                   std::string_view keep_annotation, model::Time now);

/// Returns what is told of a pod that is not evicted, reason NotEvicted, once for each reason.
FaultEvent KeptEvent(const IdlePod& pod, const std::string& why);

/// Returns what is told of a pod that was evicted, reason IdleEvicted.
FaultEvent IdleEvictedEvent(const IdlePod& pod, const usage::IdleConfig& config);

}  // namespace berth::controller
