#include "tests/integration/fake_permissions.h"

#include <utility>

#include "re2/re2.h"

namespace berth::tests {

namespace {

/// "/api/v1/namespaces/ml/secrets/a" as "secrets".
std::string ResourceOf(const std::string& target) {
  static const re2::RE2 resource("/apis?(?:/[^/]+)?/v1(?:/namespaces/[^/]+)?/([^/]+).*");
  std::string name;
  return re2::RE2::FullMatch(target, resource, &name) ? name : target;
}

}  // namespace

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
    case FakeRequest::kListServices:
      return {"", "services", "list"};
    case FakeRequest::kWatchServices:
      return {"", "services", "watch"};
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
    default:
      break;
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
  const std::pair<FakeRequest, const char*> objects[] = {{FakeRequest::kGetObject, "get"},
                                                         {FakeRequest::kCreateObject, "create"},
                                                         {FakeRequest::kUpdateObject, "update"},
                                                         {FakeRequest::kPatchObject, "patch"}};
  for (const auto& [request, verb] : objects) {
    for (const std::string& target : server.Targets(request)) {
      words.insert(std::string(verb) + " " + ResourceOf(target));
    }
  }
  for (const std::string& line : server.Unknown()) words.insert(line);
  return words;
}

}  // namespace berth::tests
