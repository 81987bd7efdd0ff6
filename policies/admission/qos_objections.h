#pragma once

#include <vector>

#include "model/workload.h"
#include "policies/admission/guaranteed_qos_config.h"
#include "policies/admission/policy.h"

namespace berth::policies::admission {

/// Under what rules a pod is judged.
struct QosJudgement {
  /// Limits that are missing altogether are no reason to object.
  bool may_lack_limits = false;
  /// What would have filled them in.
  MissingLimits missing_limits = MissingLimits::kDefault;
};

/// What keeps the pods of `workload` from being Guaranteed, and what to write instead; of the first
/// hundred containers at fault.
std::vector<Objection> QosObjections(const model::Workload& workload, QosJudgement judgement);

}  // namespace berth::policies::admission
