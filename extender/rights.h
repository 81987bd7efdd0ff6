#pragma once

#include <string>
#include <vector>

#include "kube/rbac.h"
#include "policies/scheduling/shortlist.h"

namespace berth::extender {

/// Returns the rights that the extender needs at the API server, in the whole cluster: to list and
/// watch nodes and pods, and Services if the shortlist needs them
/// (ShortlistConfig::NeedsServices()). It needs no right to write.
std::vector<kube::Grant> GrantsOf(const policies::scheduling::ShortlistConfig& shortlist);

/// Returns the rights that it needs in the namespace of the controller's Lease: to read that Lease,
/// which has this name. Only if the controller plans; see PreemptionVeto.
std::vector<kube::Grant> LeaseGrantsOf(const std::string& lease);

}  // namespace berth::extender
