#include "kube/json_api.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "kube/json.h"
#include "kube/json_call.h"
#include "kube/page_limit.h"
#include "kube/query.h"

namespace berth::kube {

namespace {

// A pod with its managedFields has 10 KB, seldom much more.
constexpr std::size_t kPageSize = 250;

absl::Status Refusal(const absl::Status& status, const Need& need) {
  if (!absl::IsPermissionDenied(status)) return status;
  return absl::PermissionDeniedError("no right to " + ToString(need));
}

// Passes the reply to `read`.
absl::Status PassReply(const std::string& target, const std::string& reply,
                       const std::function<void(const JsonValue& object)>& read) {
  JsonParser parser;
  const auto root = parser.Parse(reply);
  absl::Status error = root.status();
  if (error.ok()) {
    const Path path("");
    read(JsonValue(*root, path, error));
  }
  if (error.ok()) return error;
  return absl::UnavailableError(fmt::format("{}: {}", target, std::string(error.message())));
}

}  // namespace

std::string ToString(const Need& need) {
  std::string text = fmt::format("{} {}", need.permission.verb, need.permission.resource);
  if (!need.name.empty()) text += " " + need.name;
  if (!need.namespace_name.empty()) text += " in namespace " + need.namespace_name;
  return text;
}

absl::Status Api::Get(const std::string& path, const Need& need,
                      const std::function<void(const JsonValue& object)>& read, std::size_t most) {
  return Call(HttpMethod::kGet, path, need, "", read, most);
}

absl::Status Api::Create(const std::string& path, const Need& need, std::string body,
                         const std::function<void(const JsonValue& object)>& read) {
  return Call(HttpMethod::kPost, path, need, std::move(body), read);
}

absl::Status Api::List(const std::string& path, const Need& need,
                       const std::function<void(const JsonValue& item)>& take,
                       const Selectors& selectors) {
  PageLimit limit(kPageSize);
  std::string continue_token;
  const auto read = [&](const JsonValue& list) {
    list.Field("items").ForEachItem(take);
    const JsonValue metadata = list.Field("metadata");
    continue_token = std::string(metadata.Field("continue").String());
  };
  while (true) {
    Target target(path);
    target.With("labelSelector", selectors.labels)
        .With("limit", limit.text())
        .With("continue", continue_token)
        .With("fieldSelector", selectors.fields);
    const auto reply = CallJson(*transport_, HttpMethod::kGet, target.text(), "", limit.MaxBytes());
    if (absl::IsOutOfRange(reply.status()) && limit.Shrink()) continue;
    if (!reply.ok()) return Refusal(reply.status(), need);
    const absl::Status taken = PassReply(target.text(), *reply, read);
    if (!taken.ok() || continue_token.empty()) return taken;
    limit.OnPage(reply->size());
  }
}

absl::Status Api::Call(HttpMethod method, const std::string& target, const Need& need,
                       std::string body, const std::function<void(const JsonValue& object)>& read,
                       std::size_t most) {
  const auto reply = CallJson(*transport_, method, target, std::move(body), most);
  if (!reply.ok()) return Refusal(reply.status(), need);
  return PassReply(target, *reply, read);
}

}  // namespace berth::kube
