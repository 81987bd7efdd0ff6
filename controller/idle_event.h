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

/// For how long an idle notebook stays. A plain value.
struct IdleStay {
  /// It is evicted after this. kForever if only somebody who changes the pod can end its stay.
  model::Time until = model::kNoTime;
  /// What keeps it, as the end of a sentence; empty if nothing does but the grace period. The same
  /// for as long as the reason is the same.
  std::string why;
  /// What to do about that, as the rest of that sentence; may be empty.
  std::string advice;

  friend bool operator==(const IdleStay&, const IdleStay&) = default;
};

/// Returns for how long the pod stays, which is taken for a notebook. `due` is when its grace
/// period ends: with `now`, the answer is later than `now` if and only if something else keeps the
/// pod now. A PodDisruptionBudget is not known here. `min_age` is IdlePodsConfig's, not negative.
IdleStay StayOf(const IdlePod& pod, model::Time due, model::Duration min_age,
                std::string_view keep_annotation, model::Time now);

/// Returns what is told of the pod, reason Idle. The id is another one on each day (UTC), and
/// whenever something else is said of the eviction. `stay` is nothing if no pod is ever evicted,
/// and counts only for notebooks. If its `until` has passed, its `why` is what still keeps the pod.
FaultEvent IdleEvent(const IdlePod& pod, const usage::IdleConfig& config,
                     const std::optional<IdleStay>& stay, std::string_view keep_annotation,
                     model::Time now);

/// Returns what is told of a pod that is not evicted though its grace period is over, reason
/// NotEvicted. The id is another one for each `why`.
FaultEvent KeptEvent(const IdlePod& pod, const IdleStay& stay);

/// Returns what is told of a pod that was evicted, reason IdleEvicted.
FaultEvent IdleEvictedEvent(const IdlePod& pod, const usage::IdleConfig& config);

}  // namespace berth::controller
