#pragma once

#include "policies/policy_list.h"
#include "policies/scheduling/accelerator.h"
#include "policies/scheduling/avoid.h"
#include "policies/scheduling/health.h"
#include "policies/scheduling/kept.h"
#include "policies/scheduling/packing.h"
#include "policies/scheduling/thrift.h"

namespace berth::policies::scheduling {

/// Every scheduling policy. The first policy that refuses a node gives the reason. So policies
/// about what the pod wants stand before policies about the state of the node. To add a policy, add
/// it here; docs/architecture.md says what else it needs.
using AllPolicies = PolicyList<AcceleratorPolicy,  //
                               HealthPolicy,       //
                               ThriftPolicy,       //
                               PackingPolicy,      //
                               AvoidPolicy,        //
                               KeptPolicy>;

}  // namespace berth::policies::scheduling
