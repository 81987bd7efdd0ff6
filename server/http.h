#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/observer.h"

namespace berth::server {

struct HttpRequest {
  std::string_view method;
  /// Path and query as sent.
  std::string_view target;
  std::string_view body;
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  /// The limit that the handler refused the request for, to be counted with the listener's own.
  std::optional<Limit> limit{};
};

/// Why a request never reached its handler.
enum class RejectionCause { kBodyTooLarge, kBodyTimeout, kBodiesTooMany };

struct Rejection {
  RejectionCause cause;
  /// A sentence for the client, with the limit in it.
  std::string message;
  /// The front of the body, as much as was read: the Route's `reject_bytes` or more, where they
  /// arrived.
  std::string_view body{};
};

/// One method and path that a listener answers. Everything else is 404, another method 405.
struct Route {
  std::string method;
  /// Exact, without query.
  std::string path;
  /// Bytes of body that are read at most.
  std::size_t max_body = 0;
  /// Called on one of the listener's threads, several at a time; must not block.
  std::function<HttpResponse(const HttpRequest&)> handle;
  /// Words the answer to a request that broke a limit. The connection is closed after it. Empty:
  /// 413, 408 or 503 with the message as text.
  std::function<HttpResponse(const Rejection&)> reject;
  /// How much `reject` has to see of a body whose header says that it is too large. The rest is
  /// read and forgotten before the answer, so that a client gets it that writes everything first.
  /// 0: such a request is answered at once.
  std::size_t reject_bytes = 0;
};

}  // namespace berth::server
