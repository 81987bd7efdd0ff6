#pragma once

#include <absl/status/statusor.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "server/http.h"
#include "server/limits.h"
#include "server/observer.h"
#include "server/tls_certificates.h"

namespace berth::server {

struct ListenerOptions {
  /// As ParseAddress reads it.
  std::string address = ":0";
  /// Null: plain HTTP. Where that is allowed is the caller's decision; see IsLoopback.
  std::shared_ptr<const TlsCertificates> tls;
  /// Threads that serve connections and run handlers; at least 1.
  int threads = 2;
  ListenerLimits limits;
  /// May be null.
  std::shared_ptr<ListenerObserver> observer;
};

/// Answers HTTP/1.1, over TLS or plain, with keep-alive, pipelining, chunked bodies and
/// `Expect: 100-continue`. A handler that throws answers 500. Start, BeginClosing, Drain and the
/// destructor are called by one thread, never by a handler; port() by any.
class Listener {
 public:
  /// Serves when it returns. INVALID_ARGUMENT for an address or routes that make no sense,
  /// UNAVAILABLE when the address cannot be listened on.
  static absl::StatusOr<std::unique_ptr<Listener>> Start(ListenerOptions options,
                                                         std::vector<Route> routes);

  /// Cuts what is still open. Call Drain before for an orderly end.
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// The port listened on, also where the options said 0.
  std::uint16_t port() const;

  /// From now on every reply carries `Connection: close`, while new connections are still
  /// accepted. Call it when a shutdown is announced, some seconds before Drain: a client then moves
  /// away between two requests, and none is lost to a connection that closes under it.
  void BeginClosing();

  /// Stops accepting, closes idle connections, answers what has arrived and ends; blocks for `time`
  /// at most. Whether all ended by themselves; if not, the rest was cut.
  bool Drain(std::chrono::milliseconds time);

 private:
  class Impl;
  explicit Listener(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::server
