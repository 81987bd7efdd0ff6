#pragma once

#include "policies/scheduling/accelerator.h"
#include "policies/scheduling/health.h"
#include "policies/scheduling/packing.h"
#include "policies/scheduling/thrift.h"

namespace berth::policies::scheduling {

template <typename... Policies>
struct PolicyList {};

/// Every scheduling policy. A node's reason is that of the first one that refuses it, so those
/// whose verdict is about what the pod wants come before those about the state that a node is in.
using AllPolicies = PolicyList<AcceleratorPolicy,  //
                               HealthPolicy,       //
                               ThriftPolicy,       //
                               PackingPolicy>;

}  // namespace berth::policies::scheduling
