#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/observer.h"

namespace berth::server {

/// A request as its handler sees it. The texts are valid during the call of the handler.
struct HttpRequest {
  /// The Route's, or HEAD where the Route's is GET.
  std::string_view method;
  /// Path and query as sent.
  std::string_view target;
  /// The whole body, without transfer encoding.
  std::string_view body;
};

/// What a handler answers.
struct HttpResponse {
  int status = 200;
  /// Value of the Content-Type field.
  std::string content_type = "application/json";
  /// Not sent for HEAD.
  std::string body;
  /// The limit for which the handler refused the request, if any. It is counted with the limits of
  /// the listener.
  std::optional<Limit> limit{};
};

/// Why a body was not read to its end: it is larger than Route::max_body, it did not arrive within
/// ListenerLimits::body, or other requests hold the memory (ListenerLimits::bodies_bytes).
enum class RejectionCause { kBodyTooLarge, kBodyTimeout, kBodiesTooMany };

/// A request that never reached its handler.
struct Rejection {
  RejectionCause cause;
  /// A sentence for the client that names the limit.
  std::string message;
  /// The front of the body, as much as was read: at least the Route's `reject_bytes`, if so much
  /// has arrived. Valid during the call of `reject`.
  std::string_view body{};
};

/// A method and a path that a listener answers. Other paths get 404, other methods on the path 405.
/// A plain value; the router keeps a copy for the life of the listener.
///
///   Route route{.method = "POST", .path = "/filter", .max_body = 8 << 20};
///   route.handle = [](const HttpRequest& request) {
///     return HttpResponse{.body = Answer(request.body)};
///   };
struct Route {
  /// "GET", "POST". GET answers HEAD, too.
  std::string method;
  /// The exact path, without query.
  std::string path;
  /// Largest body in bytes. 0: none is accepted.
  std::size_t max_body = 0;
  /// Answers a whole request. Called on the listener's threads, several at a time: it must be
  /// thread-safe and must not block. If it throws, the client gets 500.
  std::function<HttpResponse(const HttpRequest&)> handle;
  /// Words the answer to a request whose body broke a limit. Called like `handle`; the connection
  /// is closed afterwards. Empty: 413, 408 or 503, with the message as plain text.
  std::function<HttpResponse(const Rejection&)> reject;
  /// How many bytes `reject` needs of a body whose header says that it is too large. They are read
  /// before the answer, and the rest is read and dropped, so that a client that sends everything
  /// before it reads gets the answer. 0: such a request is answered at once, and `reject` sees no
  /// body.
  std::size_t reject_bytes = 0;
};

}  // namespace berth::server
