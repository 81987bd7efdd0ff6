#include "kube/json_api.h"

#include <fmt/format.h>

#include <utility>

#include "kube/json.h"
#include "kube/json_call.h"
#include "kube/query.h"

namespace berth::kube {

namespace {

// A pod with its managedFields has 10 KB, seldom much more.
constexpr const char* kPageSize = "250";
constexpr std::size_t kMaxPageBytes = std::size_t{256} << 20;

absl::Status Refusal(const absl::Status& status, const Need& need) {
  if (!absl::IsPermissionDenied(status)) return status;
  return absl::PermissionDeniedError("no right to " + ToString(need));
}

}  // namespace

std::string ToString(const Need& need) {
  std::string text = fmt::format("{} {}", need.permission.verb, need.permission.resource);
  if (!need.name.empty()) text += " " + need.name;
  if (!need.namespace_name.empty()) text += " in namespace " + need.namespace_name;
  return text;
}

absl::Status Api::Get(const std::string& path, const Need& need,
                      const std::function<void(const JsonValue& object)>& read) {
  return Call(HttpMethod::kGet, path, need, "", read);
}

absl::Status Api::Create(const std::string& path, const Need& need, std::string body,
                         const std::function<void(const JsonValue& object)>& read) {
  return Call(HttpMethod::kPost, path, need, std::move(body), read);
}

absl::Status Api::List(const std::string& path, const Need& need,
                       const std::function<void(const JsonValue& item)>& take,
                       const std::string& selector) {
  std::string continue_token;
  const auto read = [&](const JsonValue& list) {
    list.Field("items").ForEachItem(take);
    const JsonValue metadata = list.Field("metadata");
    continue_token = std::string(metadata.Field("continue").String());
  };
  do {
    Target target(path);
    target.With("labelSelector", selector)
        .With("limit", kPageSize)
        .With("continue", continue_token);
    const absl::Status called = Call(HttpMethod::kGet, target.text(), need, "", read);
    if (!called.ok()) return called;
  } while (!continue_token.empty());
  return absl::OkStatus();
}

absl::Status Api::Call(HttpMethod method, const std::string& target, const Need& need,
                       std::string body, const std::function<void(const JsonValue& object)>& read) {
  const auto reply = CallJson(*transport_, method, target, std::move(body), kMaxPageBytes);
  if (!reply.ok()) return Refusal(reply.status(), need);
  JsonParser parser;
  const auto root = parser.Parse(*reply);
  absl::Status error = root.status();
  if (error.ok()) {
    const Path path("");
    read(JsonValue(*root, path, error));
  }
  if (error.ok()) return error;
  return absl::UnavailableError(fmt::format("{}: {}", target, std::string(error.message())));
}

}  // namespace berth::kube
