#pragma once

#include <string_view>
#include <vector>

#include "model/workload.h"
#include "policies/admission/guaranteed_qos_config.h"
#include "policies/admission/policy.h"

namespace berth::policies::admission {

/// The rules for judging a pod.
struct QosJudgement {
  /// Whether missing limits are acceptable.
  bool may_lack_limits = false;
  /// The configured way to handle missing limits; decides what the objections advise.
  MissingLimits missing_limits = MissingLimits::kDefault;
  /// The pod's unknown device, for which there is no default; empty if it has none.
  std::string_view unknown_device = {};
};

/// Returns what keeps the pods of `workload` from being Guaranteed, and what to write instead;
/// empty if they are. Missing limits of one container give one objection, and each request that
/// differs from its limit gives one. Stops after a hundred or so, because objections to two states
/// of an object are compared.
std::vector<Objection> QosObjections(const model::Workload& workload, QosJudgement judgement);

}  // namespace berth::policies::admission
