#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "server/http.h"
#include "server/limits.h"
#include "server/observer.h"
#include "server/router.h"

namespace berth::server {

/// What the header of a request says about the message itself, independent of the HTTP library. Its
/// texts point into the parser's buffer. A plain value.
struct RequestHead {
  /// "GET", "POST".
  std::string_view method;
  /// Path and query as sent.
  std::string_view target;
  /// HTTP version: 10 or 11.
  unsigned version = 11;
  /// How many Host fields there are.
  std::size_t host_fields = 1;
  /// Whether there is a Transfer-Encoding field, and whether its last coding is chunked.
  bool has_transfer_encoding = false;
  bool chunked = false;
  /// Value of Content-Length in bytes; 0 if there is none.
  std::uint64_t content_length = 0;
  /// Value of the Expect field; empty if there is none.
  std::string_view expect;
};

/// What is sent for one request. A plain value.
struct Reply {
  /// Status, type and body. For HEAD, the body is only measured.
  HttpResponse response;
  /// Value of the Allow field; empty: the field is not sent.
  std::string allow;
  /// Whether the connection must end after the reply, because the request was not read to its end.
  bool close = false;
};

/// Returns a plain-text reply that no route words: `status`, and `sentence` with a line end. It
/// ends the connection.
Reply Refusal(int status, std::string sentence);

/// Decides what can be decided by the header alone. Returns the refusal to send:
/// - 400, 501 or 417 if it is unclear where the message ends, whom it is for, or what it expects;
/// - 404 or 405 if no route matches;
/// - the route's answer, or 413, if Content-Length exceeds the route's max_body and the route does
///   not want to see the front of the body, or the client waits for "100 Continue" before it sends
///   any.
///
/// Returns nothing if the body, or the front of one that is too large, is to be read. `match` has a
/// route then.
std::optional<Reply> RefuseByHead(ListenerObserver& observer, const ListenerLimits& limits,
                                  const Router::Match& match, const RequestHead& head);

/// Returns the answer to a request whose body or reply broke a limit, as the route's `reject` words
/// it, and reports the limit to `observer`. `front` is what was read of the body. The reply ends
/// the connection. Its status is 500 if `reject` throws.
Reply RejectBody(ListenerObserver& observer, const ListenerLimits& limits, const Route& route,
                 RejectionCause cause, std::string_view front = "");

/// Returns the route's answer to a whole request, and reports to `observer` the limit that the
/// handler names, if any. If the handler throws, the status is 500 and `observer` gets the
/// exception's message.
Reply Handle(ListenerObserver& observer, const Route& route, const HttpRequest& request);

}  // namespace berth::server
