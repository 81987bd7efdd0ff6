#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace berth::kube {

enum class HttpMethod { kGet, kPost, kPut, kPatch };

/// "GET", "POST", "PUT", "PATCH".
std::string_view NameOf(HttpMethod method);

/// A request to the API server.
struct HttpRequest {
  HttpMethod method = HttpMethod::kGet;
  /// Path and query, escaped.
  std::string target;
  /// Content types, as of the Accept header.
  std::string accept;
  /// Content type of the body; empty where there is none.
  std::string content_type;
  std::string body;
  /// Longest silence within the body.
  std::chrono::milliseconds silence{std::chrono::seconds(30)};
  /// From then on no byte of it is sent, whatever is still to be done before; a reply may come
  /// later. Nothing: the transport's own limits suffice.
  std::optional<std::chrono::steady_clock::time_point> send_by{};
};

/// What a reply begins with.
struct HttpHead {
  int status = 0;
  std::string content_type;
  /// 0 where the server did not say, or said it as a date.
  std::chrono::seconds retry_after{0};
  /// The Warning headers as they came (RFC 7234, 5.5): what kubectl shows beside an answer.
  std::vector<std::string> warnings{};
};

/// Takes a reply as it comes. What is not OK ends the exchange and the connection.
class HttpSink {
 public:
  virtual ~HttpSink() = default;
  /// Once, before the body.
  virtual absl::Status OnHead(const HttpHead& head) = 0;
  /// The next bytes of the body, valid during the call; cut wherever the network cut them.
  virtual absl::Status OnBody(std::string_view bytes) = 0;
};

/// The one seam between Berth and the API server.
class Transport {
 public:
  virtual ~Transport() = default;

  /// Sends the request and blocks until the reply was given to `sink` to its end. Errors: Cancelled
  /// after Stop(), DeadlineExceeded on silence and after `send_by`, Unavailable where the network
  /// or TLS failed, or what `sink` said. An HTTP status is no error. One call at a time.
  ///
  /// After an error nobody knows whether a POST, PUT or PATCH was carried out: none is sent a
  /// second time once the server may have all of it.
  virtual absl::Status Send(const HttpRequest& request, HttpSink& sink) = 0;

  /// Ends Send() at once, this one and all later ones. May be called from any thread.
  virtual void Stop() = 0;
};

}  // namespace berth::kube
