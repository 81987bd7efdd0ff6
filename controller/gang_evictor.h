#pragma once

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kube/permission.h"
#include "kube/transport.h"
#include "model/gang.h"

namespace berth::controller {

// What is done with all pods of a gang, which have to be listed.

/// The rights that these and Patcher::ReportEvent() need at the API server.
inline constexpr kube::Permission kGangPermissions[] = {
    {"", "events", "create"}, {"", "pods", "list"}, {"", "pods/eviction", "create"}};

/// Evicts all pods of a gang, bound or not, through the Eviction API, so that budgets hold, pods
/// get their grace period, and those who retry the pods do. Blocks until the API server has
/// answered for each of them; returns the first error after all were tried. A pod that is gone is
/// no error.
///
///   GET /api/v1/namespaces/ml/pods
///   POST /api/v1/namespaces/ml/pods/train-0/eviction
///   {"apiVersion":"policy/v1","deleteOptions":{"preconditions":{"uid":"..."}},"kind":"Eviction",
///    "metadata":{"name":"train-0","namespace":"ml"}}
absl::Status EvictGang(kube::Transport& transport, const std::string& namespace_name,
                       const std::string& gang, const model::GangNames& names);

/// Returns how many pods of Indexed Jobs in the gang have succeeded and are not being deleted: the
/// Job controller makes none of them again. Of other pods one cannot tell whether they belong to
/// the gang that waits or to one of the same name before it. Blocks until the API server has
/// answered.
absl::StatusOr<std::size_t> CountSucceeded(kube::Transport& transport,
                                           const std::string& namespace_name,
                                           const std::string& gang, const model::GangNames& names);

}  // namespace berth::controller
