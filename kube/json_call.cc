#include "kube/json_call.h"

#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "fmt/format.h"
#include "kube/api_reply.h"
#include "kube/json.h"
#include "kube/json_value.h"

namespace berth::kube {
namespace {

constexpr char kJsonType[] = "application/json";
constexpr char kMergePatchType[] = "application/merge-patch+json";
constexpr char kJsonPatchType[] = "application/json-patch+json";
constexpr char kStrategicPatchType[] = "application/strategic-merge-patch+json";

absl::StatusCode CodeOf(int http_status) {
  switch (http_status) {
    case 400:
    case 422:
      return absl::StatusCode::kInvalidArgument;
    case 401:
    case 403:
      return absl::StatusCode::kPermissionDenied;
    case 404:
      return absl::StatusCode::kNotFound;
    case 409:
      return absl::StatusCode::kAborted;
    default:
      return absl::StatusCode::kUnavailable;
  }
}

/// Whether the API server creates nothing because the namespace is being deleted
/// (NamespaceTerminatingCause in k8s.io/apiserver/pkg/admission/plugin/namespace/lifecycle/
/// admission.go, v0.36.3).
bool IsOfEndingNamespace(int http_status, std::string_view body) {
  return http_status == 403 && body.find("\"NamespaceTerminating\"") != std::string_view::npos;
}

/// Whether a PodDisruptionBudget is in the way of an eviction (DisruptionBudgetCause in
/// k8s.io/api/policy/v1/types.go, v0.36.3). Otherwise 429 is the answer of an API server that has
/// too much to do.
bool IsOfBudget(int http_status, std::string_view body) {
  return http_status == 429 && body.find("\"DisruptionBudget\"") != std::string_view::npos;
}

/// Returns the message of a v1.Status, or the beginning of what came instead.
std::string WordsOf(std::string_view body) {
  JsonParser parser;
  const auto root = parser.Parse(body);
  if (!root.ok()) return body.empty() ? "no reason was given" : Quoted(body);
  absl::Status error;
  const std::string message(JsonValue(*root, Path(""), error).Field("message").String());
  return message.empty() ? "no reason was given" : message;
}

const char* ContentTypeOf(HttpMethod method) {
  if (method == HttpMethod::kGet) return "";
  return method == HttpMethod::kPatch ? kMergePatchType : kJsonType;
}

absl::StatusOr<std::string> Call(Transport& transport, HttpMethod method, std::string target,
                                 std::string body, const char* content_type,
                                 std::size_t max_reply) {
  const HttpRequest request{.method = method,
                            .target = std::move(target),
                            .accept = kJsonType,
                            .content_type = content_type,
                            .body = std::move(body)};
  BodySink sink(max_reply);
  absl::Status answered = transport.Send(request, sink);
  if (IsTooLarge(answered, sink)) answered = absl::OutOfRangeError(answered.message());
  const std::string what = fmt::format("{} {}", NameOf(method), request.target);
  if (absl::IsCancelled(answered)) return answered;
  const int status = sink.head().status;
  const bool granted = status >= 200 && status < 300;
  // A proxy that says OK by itself has not passed the request on.
  if (answered.ok() && granted) answered = CheckContentType(sink.head(), kJsonType);
  if (!answered.ok()) {
    return absl::Status(answered.code(),
                        fmt::format("{}: {}", what, std::string(answered.message())));
  }
  if (granted) return sink.body();
  absl::StatusCode code = CodeOf(status);
  if (IsOfEndingNamespace(status, sink.body())) code = absl::StatusCode::kNotFound;
  if (IsOfBudget(status, sink.body())) code = absl::StatusCode::kResourceExhausted;
  return absl::Status(code, fmt::format("{}: {}: {}", what, status, WordsOf(sink.body())));
}

}  // namespace

bool IsTooLarge(const absl::Status& sent, const BodySink& sink) {
  return absl::IsDataLoss(sent) && sink.head().status != 0;
}

std::string_view NameOf(HttpMethod method) {
  switch (method) {
    case HttpMethod::kGet:
      return "GET";
    case HttpMethod::kPost:
      return "POST";
    case HttpMethod::kPut:
      return "PUT";
    case HttpMethod::kPatch:
      return "PATCH";
    case HttpMethod::kDelete:
      return "DELETE";
  }
  return "";
}

absl::StatusOr<std::string> CallJson(Transport& transport, HttpMethod method, std::string target,
                                     std::string body, std::size_t max_reply) {
  return Call(transport, method, std::move(target), std::move(body), ContentTypeOf(method),
              max_reply);
}

absl::StatusOr<std::string> PatchByOperations(Transport& transport, std::string target,
                                              std::string body) {
  return Call(transport, HttpMethod::kPatch, std::move(target), std::move(body), kJsonPatchType,
              kMaxJsonReply);
}

absl::StatusOr<std::string> PatchStrategically(Transport& transport, std::string target,
                                               std::string body) {
  return Call(transport, HttpMethod::kPatch, std::move(target), std::move(body),
              kStrategicPatchType, kMaxJsonReply);
}

}  // namespace berth::kube
