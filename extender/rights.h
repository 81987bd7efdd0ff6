#pragma once

#include <vector>

#include "kube/rbac.h"
#include "policies/scheduling/shortlist.h"

namespace berth::extender {

/// Returns the rights that the extender needs at the API server, in the whole cluster: to list and
/// watch nodes and pods, and Services if the shortlist needs them
/// (ShortlistConfig::NeedsServices()). It needs no right to write.
std::vector<kube::Grant> GrantsOf(const policies::scheduling::ShortlistConfig& shortlist);

}  // namespace berth::extender
