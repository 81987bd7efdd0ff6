#pragma once

#include <cstdint>
#include <string>

#include "server/observer.h"
#include "server/rate_limiter.h"

namespace berth::server {

/// Logs that a listener serves at `address`, in the form that ParseAddress() reads, with the port
/// that it has got: the same, unless that is 0.
void LogListening(const std::string& listener, const std::string& address, std::uint16_t port);

/// Logs what goes wrong on a listener: TLS handshakes that fail, clients that run into limits,
/// handlers that throw, accepts that fail. Each of these kinds gets one line in 10 s at most, with
/// the number of lines that were held back; the metrics have the rest. Clients that only open and
/// close a connection are not logged. Thread-safe.
class ListenerLog final : public ListenerObserver {
 public:
  /// `listener` is the name of the listener, which every line has.
  explicit ListenerLog(std::string listener);

  /// The first two are logged as warnings, the last as an error.
  void OnHandshakeFailed(HandshakeFailure cause) override;
  void OnLimit(Limit limit) override;
  void OnError(std::string_view message) override;

 private:
  const std::string listener_;
  RateLimiter handshake_lines_;
  RateLimiter limit_lines_;
  RateLimiter error_lines_;
};

}  // namespace berth::server
