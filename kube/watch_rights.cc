#include "kube/watch_rights.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "kube/api_reply.h"
#include "kube/query.h"

namespace berth::kube {

namespace {

// The head of a reply tells whether the request is granted. A watch has no end to wait for, so a
// granted request ends there.
class GrantSink final : public HttpSink {
 public:
  absl::Status OnHead(const HttpHead& head) override {
    refusal_.OnHead(head);
    if (!refusal_.granted()) return absl::OkStatus();
    content_type_ = CheckContentType(head);
    return absl::AbortedError("the request is granted");
  }
  absl::Status OnBody(std::string_view bytes) override {
    refusal_.OnBody(bytes);
    return absl::OkStatus();
  }

  bool granted() const { return refusal_.granted(); }
  // Of a granted request: whether the reply is what an API server answers.
  const absl::Status& content_type() const { return content_type_; }
  std::optional<ApiStatus> Refusal() const { return refusal_.Refusal(); }

 private:
  RefusalReader refusal_;
  absl::Status content_type_;
};

// What to do about a missing right: to "list" or to "watch".
std::string MissingRight(const FollowedObjects& what, std::string_view verb,
                         const std::string& message) {
  return fmt::format(
      "{} needs the rights to list and watch {}{}, and you may not {} them ({}); ask an "
      "administrator for the rights{}",
      what.who, what.resource,
      what.namespace_name.empty() ? "" : " in namespace " + what.namespace_name, verb, message,
      what.otherwise.empty() ? "" : ", or " + what.otherwise);
}

absl::Status CheckRequest(Transport& transport, const FollowedObjects& what, std::string_view verb,
                          const HttpRequest& request) {
  GrantSink sink;
  const absl::Status sent = transport.Send(request, sink);
  if (sink.granted()) return sink.content_type();
  if (!sent.ok()) return sent;
  const ApiStatus refusal = sink.Refusal().value_or(ApiStatus{});
  const absl::Status refused = RefusalOf(what.path, refusal).error;
  if (refusal.code != 403) return refused;
  return absl::PermissionDeniedError(MissingRight(what, verb, std::string(refused.message())));
}

}  // namespace

absl::Status CheckListAndWatch(Transport& transport, const FollowedObjects& what) {
  const absl::Status list = CheckRequest(
      transport, what, "list",
      {.target = Target(what.path).With("limit", "1").text(), .accept = kProtobufType});
  if (!list.ok()) return list;
  // Version 0 is never too old. The timeout is for a server that does not notice that nobody reads.
  return CheckRequest(transport, what, "watch",
                      {.target = Target(what.path)
                                     .With("watch", "true")
                                     .With("resourceVersion", "0")
                                     .With("timeoutSeconds", "1")
                                     .text(),
                       .accept = fmt::format("{};stream=watch", kProtobufType)});
}

}  // namespace berth::kube
