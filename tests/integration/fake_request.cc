#include "tests/integration/fake_request.h"

namespace berth::testing {
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

}  // namespace

bool IsWatch(FakeRequest request) {
  return request == FakeRequest::kWatchNodes || request == FakeRequest::kWatchPods;
}

bool IsPods(FakeRequest request) {
  return request == FakeRequest::kListPods || request == FakeRequest::kWatchPods;
}

std::string FakeHttpRequest::Get(const std::string& name) const {
  const auto found = query.find(name);
  return found == query.end() ? "" : found->second;
}

std::optional<FakeHttpRequest> ParseFakeRequest(const std::string& head) {
  FakeHttpRequest request;
  const std::size_t end = head.find(" HTTP/1.1\r\n");
  if (!head.starts_with("GET ") || end == std::string::npos) return std::nullopt;
  request.target = head.substr(4, end - 4);
  std::size_t at = request.target.find('?');
  const std::string path = request.target.substr(0, at);
  while (at != std::string::npos) {
    const std::size_t equals = request.target.find('=', at);
    const std::size_t next = request.target.find('&', at + 1);
    if (equals == std::string::npos) break;
    request.query[request.target.substr(at + 1, equals - at - 1)] =
        Unescaped(request.target.substr(equals + 1, next - equals - 1));
    at = next;
  }
  const bool watch = request.Get("watch") == "true";
  if (path == "/api/v1/nodes") {
    request.kind = watch ? FakeRequest::kWatchNodes : FakeRequest::kListNodes;
  } else if (path == "/api/v1/pods") {
    request.kind = watch ? FakeRequest::kWatchPods : FakeRequest::kListPods;
  } else {
    return std::nullopt;
  }
  return request;
}

}  // namespace berth::testing
