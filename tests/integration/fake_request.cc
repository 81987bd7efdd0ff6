#include "tests/integration/fake_request.h"

#include <vector>

namespace berth::tests {
namespace {

std::string Unescaped(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escaped = text[i] == '%' && i + 2 < text.size();
    out += escaped ? static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16)) : text[i];
    if (escaped) i += 2;
  }
  return out;
}

std::map<std::string, std::string> QueryOf(const std::string& target) {
  std::map<std::string, std::string> query;
  std::size_t at = target.find('?');
  while (at != std::string::npos) {
    const std::size_t equals = target.find('=', at);
    const std::size_t next = target.find('&', at + 1);
    if (equals == std::string::npos) break;
    query[target.substr(at + 1, equals - at - 1)] =
        Unescaped(target.substr(equals + 1, next - equals - 1));
    at = next;
  }
  return query;
}

/// "/api/v1/nodes" as {"", "api", "v1", "nodes"}.
std::vector<std::string> PartsOf(const std::string& path) {
  std::vector<std::string> parts(1);
  for (const char c : path) {
    if (c == '/') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::optional<FakeRequest> CollectionRequest(const std::string& path,
                                             const FakeHttpRequest& request) {
  const bool watch = request.Get("watch") == "true";
  if (path == "/api/v1/nodes") return watch ? FakeRequest::kWatchNodes : FakeRequest::kListNodes;
  if (path == "/api/v1/services") {
    return watch ? FakeRequest::kWatchServices : FakeRequest::kListServices;
  }
  if (path != "/api/v1/pods") return std::nullopt;
  if (request.Get("fieldSelector").starts_with("spec.nodeName=,")) {
    return watch ? FakeRequest::kWatchPending : FakeRequest::kListPending;
  }
  return watch ? FakeRequest::kWatchPods : FakeRequest::kListPods;
}

bool IsJsonObject(const std::string& path, const std::string& method) {
  const std::vector<std::string> parts = PartsOf(path);
  if (path.starts_with("/apis/admissionregistration.k8s.io/v1/")) return true;
  if (path.starts_with("/apis/coordination.k8s.io/v1/namespaces/")) return method == "PATCH";
  const bool in_namespace = path.starts_with("/api/v1/namespaces/") && parts.size() > 5;
  if (!in_namespace) return false;
  if (parts[5] == "pods") return parts.size() == 7 && method == "GET";
  return parts[5] == "secrets" || parts[5] == "services" || parts[5] == "configmaps";
}

bool ReadJsonRequest(const std::string& method, const std::string& path, FakeHttpRequest& request) {
  request.kind = method == "GET"    ? FakeRequest::kGetObject
                 : method == "PUT"  ? FakeRequest::kUpdateObject
                 : method == "POST" ? FakeRequest::kCreateObject
                                    : FakeRequest::kPatchObject;
  request.key = path;
  return true;
}

/// Requests below the pods and events of one namespace; false where it is none of them.
bool ReadNamespaceRequest(const std::string& method, const std::vector<std::string>& parts,
                          FakeHttpRequest& request) {
  if (parts.size() < 6 || parts[2] != "v1" || parts[3] != "namespaces") return false;
  request.key = parts[4];
  if (parts.size() == 6 && parts[5] == "pods" && method == "GET") {
    request.kind = FakeRequest::kListPodsIn;
    return true;
  }
  if (parts.size() == 6 && parts[5] == "events" && method == "POST") {
    request.kind = FakeRequest::kCreateEvent;
    return true;
  }
  if (parts.size() != 8 || parts[5] != "pods" || parts[7] != "eviction") return false;
  request.kind = FakeRequest::kEvictPod;
  request.key += '/' + parts[6];
  return method == "POST";
}

/// Sets kind and key of a request for one object, or for a new one.
bool ReadObjectRequest(const std::string& method, const std::string& path,
                       FakeHttpRequest& request) {
  const std::vector<std::string> parts = PartsOf(path);
  if (path.starts_with("/api/v1/nodes/") && parts.size() == 5) {
    request.kind = FakeRequest::kPatchNode;
    request.key = parts[4];
    return method == "PATCH";
  }
  const bool is_pod = parts.size() == 7 || (parts.size() == 8 && parts[7] == "status");
  if (path.starts_with("/api/v1/namespaces/") && is_pod && parts[5] == "pods" &&
      method == "PATCH") {
    request.kind = FakeRequest::kPatchPod;
    request.key = parts[4] + '/' + parts[6];
    return true;
  }
  if (ReadNamespaceRequest(method, parts, request)) return true;
  if (IsJsonObject(path, method)) return ReadJsonRequest(method, path, request);
  if (!path.starts_with("/apis/coordination.k8s.io/v1/namespaces/") || parts.size() < 7) {
    return false;
  }
  request.kind = method == "GET"   ? FakeRequest::kGetLease
                 : method == "PUT" ? FakeRequest::kUpdateLease
                                   : FakeRequest::kCreateLease;
  request.key = parts[5] + (parts.size() == 8 ? '/' + parts[7] : "");
  return parts[6] == "leases" && parts.size() == (method == "POST" ? 7U : 8U);
}

}  // namespace

bool IsList(FakeRequest request) {
  return request == FakeRequest::kListNodes || request == FakeRequest::kListPods ||
         request == FakeRequest::kListPending || request == FakeRequest::kListServices;
}

bool IsWatch(FakeRequest request) {
  return request == FakeRequest::kWatchNodes || request == FakeRequest::kWatchPods ||
         request == FakeRequest::kWatchPending || request == FakeRequest::kWatchServices;
}

std::string KindOf(FakeRequest request) {
  if (request == FakeRequest::kListServices || request == FakeRequest::kWatchServices) {
    return "Service";
  }
  const bool node = request == FakeRequest::kListNodes || request == FakeRequest::kWatchNodes;
  return node ? "Node" : "Pod";
}

bool IsPending(FakeRequest request) {
  return request == FakeRequest::kListPending || request == FakeRequest::kWatchPending;
}

std::string FakeHttpRequest::Get(const std::string& name) const {
  const auto found = query.find(name);
  return found == query.end() ? "" : found->second;
}

std::optional<FakeHttpRequest> ParseFakeRequest(const std::string& head) {
  FakeHttpRequest request;
  const std::size_t begin = head.find(' ');
  const std::size_t end = head.find(" HTTP/1.1\r\n");
  if (begin == std::string::npos || end == std::string::npos) return std::nullopt;
  const std::string method = head.substr(0, begin);
  request.target = head.substr(begin + 1, end - begin - 1);
  request.query = QueryOf(request.target);
  constexpr char kLength[] = "Content-Length: ";
  const std::size_t length = head.find(kLength);
  if (length != std::string::npos) {
    request.content_length = std::stoul(head.substr(length + sizeof kLength - 1));
  }
  const std::string path = request.target.substr(0, request.target.find('?'));
  const auto collection = CollectionRequest(path, request);
  if (method == "GET" && collection) {
    request.kind = *collection;
    return request;
  }
  if (!ReadObjectRequest(method, path, request)) return std::nullopt;
  return request;
}

}  // namespace berth::tests
