#pragma once

#include <vector>

#include "kube/rbac.h"
#include "policies/scheduling/shortlist.h"

namespace berth::extender {

/// What the extender asks of the API server in the whole cluster: more where a shortlist has to
/// know Services.
std::vector<kube::Grant> GrantsOf(const policies::scheduling::ShortlistConfig& shortlist);

}  // namespace berth::extender
