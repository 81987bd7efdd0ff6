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

/// What the header of a request says about the message itself.
struct RequestHead {
  std::string_view method;
  std::string_view target;
  /// 10 or 11.
  unsigned version = 11;
  std::size_t host_fields = 1;
  bool has_transfer_encoding = false;
  bool chunked = false;
  std::uint64_t content_length = 0;
  /// Value of the Expect field; empty: none.
  std::string_view expect;
};

/// What is sent for one request.
struct Reply {
  HttpResponse response;
  /// Value of the Allow field; empty: none.
  std::string allow;
  /// Whether the connection must end: the request was not read to its end.
  bool close = false;
};

/// A reply that no route words; ends the connection.
Reply Refusal(int status, std::string sentence);

/// Decides by the header alone; nothing: `match` has a route, and it wants the body, or the front
/// of one that is too large.
std::optional<Reply> RefuseByHead(ListenerObserver& observer, const ListenerLimits& limits,
                                  const Router::Match& match, const RequestHead& head);

/// The route's answer to a request whose body ran into a limit; `front` is what was read of it.
Reply RejectBody(ListenerObserver& observer, const ListenerLimits& limits, const Route& route,
                 RejectionCause cause, std::string_view front = "");

/// The route's answer to a whole request; 500 if the handler throws.
Reply Handle(ListenerObserver& observer, const Route& route, const HttpRequest& request);

}  // namespace berth::server
