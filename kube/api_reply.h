#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "kube/protobuf.h"
#include "kube/transport.h"

namespace berth::kube {

/// The content type of Kubernetes' protobuf.
inline constexpr char kProtobufType[] = "application/vnd.kubernetes.protobuf";

/// What to do after a request of a list-and-watch.
enum class Remedy {
  kGoOn,       // continue: it worked
  kReconnect,  // repeat the same request soon: nobody answered
  kRetry,      // repeat the same request later
  kRelist,     // list everything again, later
  kListPages,  // request the list again, now in pages
};

/// The result of a request of a list-and-watch.
struct Outcome {
  /// OK if it worked. Names the request otherwise.
  absl::Status error;
  Remedy remedy = Remedy::kGoOn;
  /// How long the server asked to wait before the next request; 0 if it did not ask.
  std::chrono::seconds retry_after{0};
};

/// Converts a refusal by the API server, from an HTTP status or from the ERROR event of a watch.
/// `target` names the request in the error, which is PermissionDenied for 401 and 403, and else
/// Unavailable. The remedy is kRetry if the same request may succeed later, and else kRelist.
Outcome RefusalOf(std::string_view target, const ApiStatus& status);

/// Returns the v1.Status in a reply whose status is not 200. If the body has none, it returns what
/// the head says.
ApiStatus StatusOf(const HttpHead& head, std::string_view body);

/// Whether the API server refused because the request's resource version or continue token is too
/// old.
bool IsExpired(const ApiStatus& status);

/// Returns DataLoss if the body is not of the type, as for a page of a proxy.
absl::Status CheckContentType(const HttpHead& head, std::string_view wanted = kProtobufType);

/// Collects why a request was refused while its reply arrives. If it was not refused, the body is
/// left to the caller. A reply is granted if its status is 200. For use in an HttpSink:
///
///   absl::Status OnBody(std::string_view bytes) override {
///     if (refusal_.OnBody(bytes)) return absl::OkStatus();
///     return Process(bytes);
///   }
///
/// Not thread-safe.
class RefusalReader {
 public:
  /// Takes the head of the reply.
  void OnHead(const HttpHead& head) { head_ = head; }

  /// Takes the next bytes of the body if the request was refused. Returns whether it was. Keeps no
  /// more than 64 KiB.
  bool OnBody(std::string_view bytes);

  /// Whether the head has arrived with status 200.
  bool granted() const { return head_.status == 200; }

  /// Whether the head has arrived.
  bool answered() const { return head_.status != 0; }

  /// The refusal, or nullopt if the request was granted or no head has arrived.
  std::optional<ApiStatus> Refusal() const;

 private:
  /// Its status is 0 until the head arrives.
  HttpHead head_;
  /// Of the refusal; empty if there is none.
  std::string body_;
};

/// Collects a whole reply. Not thread-safe.
class BodySink final : public HttpSink {
 public:
  /// Accepts a body of up to `limit` bytes.
  explicit BodySink(std::size_t limit) : limit_(limit) {}

  absl::Status OnHead(const HttpHead& head) override;
  /// Returns DataLoss if the body exceeds the limit, which ends the exchange.
  absl::Status OnBody(std::string_view bytes) override;

  /// What has arrived so far.
  const HttpHead& head() const { return head_; }
  const std::string& body() const { return body_; }

 private:
  const std::size_t limit_;
  HttpHead head_;
  std::string body_;
};

}  // namespace berth::kube
