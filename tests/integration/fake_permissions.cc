#include "tests/integration/fake_permissions.h"

namespace berth::testing {

kube::Permission PermissionFor(FakeRequest request) {
  switch (request) {
    case FakeRequest::kListNodes:
      return {"", "nodes", "list"};
    case FakeRequest::kWatchNodes:
      return {"", "nodes", "watch"};
    case FakeRequest::kListPods:
    case FakeRequest::kListPending:
      return {"", "pods", "list"};
    case FakeRequest::kWatchPods:
    case FakeRequest::kWatchPending:
      return {"", "pods", "watch"};
    case FakeRequest::kPatchNode:
      return {"", "nodes", "patch"};
    case FakeRequest::kPatchPod:
      return {"", "pods", "patch"};
    case FakeRequest::kGetLease:
      return {"coordination.k8s.io", "leases", "get"};
    case FakeRequest::kCreateLease:
      return {"coordination.k8s.io", "leases", "create"};
    case FakeRequest::kUpdateLease:
      return {"coordination.k8s.io", "leases", "update"};
  }
  return {};
}

std::set<std::string> Words(std::span<const kube::Permission> permissions) {
  std::set<std::string> words;
  for (const kube::Permission& permission : permissions) {
    words.insert(std::string(permission.verb) + " " + std::string(permission.resource));
  }
  return words;
}

std::set<std::string> Needed(const FakeApiServer& server) {
  std::set<std::string> words;
  for (const FakeRequest request : kAllFakeRequests) {
    const kube::Permission permission = PermissionFor(request);
    if (server.Count(request) > 0) words.merge(Words({&permission, 1}));
  }
  for (const std::string& line : server.Unknown()) words.insert(line);
  return words;
}

}  // namespace berth::testing
