#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace berth::kube {

/// The methods that Berth uses.
enum class HttpMethod { kGet, kPost, kPut, kPatch, kDelete };

/// Returns "GET", "POST", "PUT", "PATCH" or "DELETE".
std::string_view NameOf(HttpMethod method);

/// A request to the API server. A plain value.
struct HttpRequest {
  HttpMethod method = HttpMethod::kGet;
  /// Path and query, escaped; see Target.
  std::string target;
  /// The value of the Accept header: content types.
  std::string accept;
  /// The content type of the body. Empty if there is no body.
  std::string content_type;
  std::string body;
  /// The longest time without a byte while the reply's body arrives.
  std::chrono::milliseconds silence{std::chrono::seconds(30)};
  /// The time after which no byte of the request is sent, whatever comes before that (name lookup,
  /// connection, handshake). The reply may arrive later. nullopt if the transport's own limits
  /// suffice.
  std::optional<std::chrono::steady_clock::time_point> send_by{};
};

/// The head of a reply. A plain value.
struct HttpHead {
  /// The HTTP status, or 0 if there was no reply.
  int status = 0;
  std::string content_type;
  /// From the Retry-After header. 0 if there is none, or if it is a date.
  std::chrono::seconds retry_after{0};
  /// The Warning headers unchanged (RFC 7234, 5.5), which kubectl shows beside an answer.
  std::vector<std::string> warnings{};
};

/// Receives a reply while it arrives. If a function returns an error, the exchange and the
/// connection end, and Send() returns the error. Called on the thread of Send().
class HttpSink {
 public:
  virtual ~HttpSink() = default;
  /// Called once, before the body.
  virtual absl::Status OnHead(const HttpHead& head) = 0;
  /// The next bytes of the body, split as the network split them. They are valid during the call.
  virtual absl::Status OnBody(std::string_view bytes) = 0;
};

/// Sends requests to an API server. All requests pass through this interface: HttpClient implements
/// it, and tests replace it by servers in memory. CallJson() and ListWatch use it; few others need
/// to implement HttpSink.
class Transport {
 public:
  virtual ~Transport() = default;

  /// Sends the request, and blocks until the whole reply was passed to `sink`. Only one call at a
  /// time. Any HTTP status is a success. Returns
  /// - Cancelled after Stop();
  /// - DeadlineExceeded if the server was silent for too long, or after `send_by`;
  /// - Unavailable if the network or TLS failed, a credential cannot be used, the system has no
  ///   memory or thread for it, or `sink` threw a std::exception;
  /// - the error of reading a credential's file, e.g. NotFound;
  /// - the error of `sink`, unchanged.
  ///
  /// After an error it is not known whether a request other than GET was carried out. None is sent
  /// a second time once the server may have received all of it.
  virtual absl::Status Send(const HttpRequest& request, HttpSink& sink) = 0;

  /// Makes Send() return at once, now and for ever. From any thread.
  virtual void Stop() = 0;
};

}  // namespace berth::kube
