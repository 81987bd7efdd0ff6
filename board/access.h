#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "server/http.h"

namespace berth::board {

/// Makes a secret of 256 random bits, in 64 hexadecimal digits.
std::string MakeToken();

/// Who may ask the board. It serves on loopback, where everybody on the machine can connect, and
/// every page that a browser shows can send requests. So it answers only
/// - requests whose Host is 127.0.0.1, ::1 or localhost, which keeps out pages that have rebound
///   their name to loopback. Any port: `kubectl port-forward` and `ssh -L` may have another one;
/// - requests without Origin, or with that of their Host;
/// - for everything but the page itself, requests that know the token.
///
/// The token comes in the field Authorization and not in a cookie: browsers send the cookies of one
/// port of 127.0.0.1 to all others, where another person's server may listen. Immutable, so
/// thread-safe.
class Access {
 public:
  Access(std::string token, std::uint16_t port);

  /// Returns the refusal of a request for the page, if it is refused. It has no secrets: the same
  /// files are in the binary.
  std::optional<server::HttpResponse> RefusePage(const server::HttpRequest& request) const;

  /// The same of a request for what the cluster has.
  std::optional<server::HttpResponse> RefuseData(const server::HttpRequest& request) const;

  /// What a person opens. The token is in the fragment, which browsers do not send: it does not
  /// appear in logs or in the field Referer.
  std::string Url() const;

 private:
  const std::string token_;
  const std::uint16_t port_;
};

/// Adds the fields that every answer has: nothing may be cached, guessed, framed or fetched from
/// elsewhere.
server::HttpResponse Guarded(server::HttpResponse response);

}  // namespace berth::board
