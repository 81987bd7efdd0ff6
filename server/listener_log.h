#pragma once

#include <string>

#include "server/observer.h"
#include "server/rate_limiter.h"

namespace berth::server {

/// Logs what is wrong on a listener, every few seconds at most: handlers that threw, accepts that
/// failed, connections turned away. The rest is in the metrics. Thread-safe.
class ListenerLog final : public ListenerObserver {
 public:
  explicit ListenerLog(std::string listener);

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
