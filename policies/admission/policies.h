#pragma once

#include "policies/admission/creator.h"

namespace berth::admission {

template <typename... Policies>
struct PolicyList {};

/// Every admission policy, in the order in which they work on an object.
using AllPolicies = PolicyList<CreatorPolicy>;

}  // namespace berth::admission
