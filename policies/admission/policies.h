#pragma once

#include "policies/admission/accelerator_affinity.h"
#include "policies/admission/accelerator_memory.h"
#include "policies/admission/checkpoint.h"
#include "policies/admission/creator.h"
#include "policies/admission/gangs.h"
#include "policies/admission/guaranteed_qos.h"
#include "policies/admission/isolation.h"
#include "policies/admission/job_retries.h"
#include "policies/admission/scheduler_name.h"
#include "policies/policy_list.h"

namespace berth::policies::admission {

/// Every admission policy, in the order in which they work on an object. A later policy sees what
/// earlier ones changed: JobRetriesPolicy, for example, sees the limits that GuaranteedQosPolicy
/// set. To add a policy, add it here; docs/architecture.md says what else it needs.
using AllPolicies = PolicyList<CreatorPolicy, GuaranteedQosPolicy, JobRetriesPolicy,
                               AcceleratorAffinityPolicy, AcceleratorMemoryPolicy, IsolationPolicy,
                               CheckpointPolicy, SchedulerNamePolicy, GangsPolicy>;

}  // namespace berth::policies::admission
