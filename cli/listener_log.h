#pragma once

#include <string>

#include "server/observer.h"
#include "server/rate_limiter.h"

namespace berth::cli {

/// Logs what is wrong on a listener, every few seconds at most: handlers that threw, accepts that
/// failed, connections turned away. The rest is in the metrics. Thread-safe.
class ListenerLog final : public server::ListenerObserver {
 public:
  explicit ListenerLog(std::string listener);

  void OnHandshakeFailed(server::HandshakeFailure cause) override;
  void OnLimit(server::Limit limit) override;
  void OnError(std::string_view message) override;

 private:
  const std::string listener_;
  server::RateLimiter handshake_lines_;
  server::RateLimiter limit_lines_;
  server::RateLimiter error_lines_;
};

}  // namespace berth::cli
