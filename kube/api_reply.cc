#include "kube/api_reply.h"

#include <algorithm>

#include "absl/status/statusor.h"
#include "fmt/format.h"

namespace berth::kube {
namespace {

/// The most bytes of a refusal; the rest is missing in the error.
constexpr std::size_t kMaxRefusal = 64 * 1024;

/// Whether the same request may succeed later: after the client got access, or after the server
/// recovered.
bool MayPass(int code) {
  return code == 401 || code == 403 || code == 408 || code == 429 || code >= 500;
}

}  // namespace

bool IsExpired(const ApiStatus& status) {
  return status.code == 410 || status.reason == "Expired" || status.reason == "Gone";
}

Outcome RefusalOf(std::string_view target, const ApiStatus& status) {
  Outcome outcome;
  const bool denied = status.code == 401 || status.code == 403;
  outcome.error = absl::Status(
      denied ? absl::StatusCode::kPermissionDenied : absl::StatusCode::kUnavailable,
      fmt::format("GET {}: {} {}: {}", target, status.code, status.reason, status.message));
  outcome.remedy = MayPass(status.code) && !IsExpired(status) ? Remedy::kRetry : Remedy::kRelist;
  outcome.retry_after = status.retry_after;
  return outcome;
}

ApiStatus StatusOf(const HttpHead& head, std::string_view body) {
  ApiStatus status;
  status.message = "no reason was given";
  absl::StatusOr<ApiStatus> decoded = DecodeStatus(body);
  if (decoded.ok()) status = *std::move(decoded);
  status.code = head.status;
  status.retry_after = std::max(status.retry_after, head.retry_after);
  return status;
}

absl::Status CheckContentType(const HttpHead& head, std::string_view wanted) {
  if (head.content_type.starts_with(wanted)) return absl::OkStatus();
  return absl::DataLossError(
      fmt::format("answered as \"{}\" instead of {}; is this a Kubernetes API server?",
                  head.content_type, wanted));
}

bool RefusalReader::OnBody(std::string_view bytes) {
  if (granted()) return false;
  body_.append(bytes.substr(0, kMaxRefusal - body_.size()));
  return true;
}

std::optional<ApiStatus> RefusalReader::Refusal() const {
  if (head_.status == 0 || granted()) return std::nullopt;
  return StatusOf(head_, body_);
}

absl::Status BodySink::OnHead(const HttpHead& head) {
  head_ = head;
  return absl::OkStatus();
}

absl::Status BodySink::OnBody(std::string_view bytes) {
  if (body_.size() + bytes.size() > limit_) {
    return absl::DataLossError(fmt::format("the reply has over {} bytes", limit_));
  }
  body_.append(bytes);
  return absl::OkStatus();
}

}  // namespace berth::kube
