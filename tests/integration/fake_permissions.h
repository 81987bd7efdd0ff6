#pragma once

#include <set>
#include <span>
#include <string>

#include "kube/permission.h"
#include "tests/integration/fake_apiserver.h"

namespace berth::tests {

inline constexpr FakeRequest kAllFakeRequests[] = {
    FakeRequest::kListNodes,    FakeRequest::kWatchNodes,  FakeRequest::kListPods,
    FakeRequest::kWatchPods,    FakeRequest::kListPending, FakeRequest::kWatchPending,
    FakeRequest::kPatchNode,    FakeRequest::kPatchPod,    FakeRequest::kGetLease,
    FakeRequest::kCreateLease,  FakeRequest::kUpdateLease, FakeRequest::kListServices,
    FakeRequest::kWatchServices};

/// What RBAC calls a request, but for those of kGetObject and the like, which depend on the object.
kube::Permission PermissionFor(FakeRequest request);

/// "list nodes", for each of `permissions`.
std::set<std::string> Words(std::span<const kube::Permission> permissions);

/// What the clients of a server have needed so far, likewise; with the first lines of requests that
/// it does not know.
std::set<std::string> Needed(const FakeApiServer& server);

}  // namespace berth::tests
