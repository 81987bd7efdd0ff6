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

inline constexpr char kProtobufType[] = "application/vnd.kubernetes.protobuf";

/// What to do after a request.
enum class Remedy {
  kGoOn,       // it worked
  kRetry,      // the same again, later
  kRelist,     // what is known of the list is of no use any more
  kListPages,  // the same list, but not by a watch
};

/// What came of a request.
struct Outcome {
  absl::Status error;
  Remedy remedy = Remedy::kGoOn;
  /// What the server asked for; 0 where it did not.
  std::chrono::seconds retry_after{0};
};

/// A refusal, by an HTTP status or by the ERROR event of a watch. `target` names the request in the
/// error.
Outcome RefusalOf(std::string_view target, const ApiStatus& status);

/// The v1.Status in a reply that is not 200, or what its head alone tells.
ApiStatus StatusOf(const HttpHead& head, std::string_view body);

/// Whether the resource version or the continue token of the request is too old.
bool IsExpired(const ApiStatus& status);

/// DataLoss where the body is not Kubernetes' protobuf, as that of a proxy's page.
absl::Status CheckContentType(const HttpHead& head);

/// Keeps of a reply why the request was refused, where it was. Not thread-safe.
class RefusalReader {
 public:
  void OnHead(const HttpHead& head) { head_ = head; }

  /// Takes the next bytes of the body, if it is that of a refusal: whether it is.
  bool OnBody(std::string_view bytes);

  /// Whether the head has come and refuses nothing.
  bool granted() const { return head_.status == 200; }

  /// Nothing where it was not refused, or no head has come.
  std::optional<ApiStatus> Refusal() const;

 private:
  HttpHead head_;
  std::string body_;
};

/// Keeps a whole reply, up to a limit in bytes.
class BodySink final : public HttpSink {
 public:
  explicit BodySink(std::size_t limit) : limit_(limit) {}

  absl::Status OnHead(const HttpHead& head) override;
  absl::Status OnBody(std::string_view bytes) override;

  const HttpHead& head() const { return head_; }
  const std::string& body() const { return body_; }

 private:
  const std::size_t limit_;
  HttpHead head_;
  std::string body_;
};

}  // namespace berth::kube
