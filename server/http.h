#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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
  /// Returns the value of a header field; the name's case does not matter. Empty if there is none;
  /// the first value if there are several.
  std::function<std::string_view(std::string_view name)> field = [](std::string_view) {
    return std::string_view();
  };
};

/// A body that is written piece by piece while it comes to be, such as server-sent events. One
/// connection owns it, and destroys it when the client leaves, reads too slowly
/// (ListenerLimits::write), or the listener ends.
class BodySource {
 public:
  /// Next() is called at least this often, so that it can show the client that the server lives. A
  /// client that has left is noticed when something is written.
  static constexpr std::chrono::seconds kPatience{10};

  virtual ~BodySource() = default;

  /// Called once, before Next(). While the source exists, `wake` may be called on any thread, and
  /// has Next() called soon. It does not block.
  virtual void Start(std::function<void()> wake) = 0;

  /// Returns the next piece. Empty: there is none now. nullopt: the body has ended. Called on the
  /// listener's threads, one call at a time; it must not block.
  virtual std::optional<std::string> Next() = 0;
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
  /// Further header fields, names and values. Neither may contain line ends.
  std::vector<std::pair<std::string, std::string>> fields{};
  /// If set, the body comes from here, and `body` does not count. The reply is chunked, and the
  /// connection closes after it. Clients of HTTP/1.0, which knows no chunks, get 505.
  std::shared_ptr<BodySource> source{};
};

/// Why a body was not read to its end: it is larger than Route::max_body, it did not arrive within
/// ListenerLimits::body, or other requests hold the memory (ListenerLimits::bodies_bytes). Or why
/// the handler's reply is not sent: others hold the memory, or all of it were too little for it.
enum class RejectionCause { kBodyTooLarge, kBodyTimeout, kBodiesTooMany, kReplyTooLarge };

/// A request that never reached its handler, or whose reply there is no memory for.
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
