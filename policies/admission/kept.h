#pragma once

#include <vector>

#include "model/workload.h"
#include "policies/admission/policy.h"

// Keeps an update from undoing what Berth did when the object was created. Manifests are applied
// again and again, and each time they say what their author wrote, not what is stored. Most of what
// Berth writes cannot be changed later, so the API server would refuse the update.

namespace berth::policies::admission {

/// Returns `update` with some of its fields as they are in `stored`: those that policies may write,
/// and that the policies would now make as they are stored. `made` is what the policies make of
/// one of AsAtCreation(). Every field of the result is therefore as in `update` or as in `stored`.
/// Adds to `remarks` what differs from `update`.
///
/// The result differs from `update` only in what the setters of Draft change.
model::Workload KeepStored(const model::Workload& update, const model::Workload& made,
                           const model::Workload& stored, Remarks& remarks);

/// Returns the update as its author may have written it when the object was created, in each way
/// that policies tell apart; at least one. They are to judge the object by what it was then: not
/// bound to a node, with as many pods as are stored, perhaps suspended, and perhaps without limits
/// that they have added themselves.
std::vector<model::Workload> AsAtCreation(const model::Workload& update,
                                          const model::Workload& stored);

/// Whether the two differ in nothing that KeepStored() looks at.
bool HaveSameContent(const model::Workload& a, const model::Workload& b);

}  // namespace berth::policies::admission
