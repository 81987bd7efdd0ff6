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

/// Where and how a Listener serves.
struct ListenerOptions {
  /// In the form that ParseAddress() reads. Port 0: the system chooses one.
  std::string address = ":0";
  /// Null: plain HTTP. The caller decides where that is allowed; see IsLoopback().
  std::shared_ptr<const TlsCertificates> tls;
  /// Threads that serve connections and run handlers. Less than 1 counts as 1.
  int threads = 2;
  ListenerLimits limits;
  /// Notified of connections, requests and failures. May be null.
  std::shared_ptr<ListenerObserver> observer;
};

/// An HTTP/1.1 server on one address, over TLS or plain, with keep-alive, pipelining, chunked
/// bodies and `Expect: 100-continue`.
///
/// The life of a listener: Start(), then BeginClosing() and Drain() for an orderly end, then the
/// destructor. Call these on one thread, and never in a handler. port() may be called on any
/// thread. Handlers run on the listener's own threads.
///
/// Clients are limited by ListenerLimits. What happens to connections is reported to the observer;
/// it does not end the listener.
///
///   auto listener = Listener::Start({.address = ":8443", .tls = certificates}, {route});
///   if (!listener.ok()) return listener.status();
///   signals.Wait();
///   (*listener)->BeginClosing();
///   // ... some seconds later:
///   (*listener)->Drain(std::chrono::seconds(10));
class Listener {
 public:
  /// Returns a listener that serves already. Errors:
  /// - INVALID_ARGUMENT if ParseAddress() rejects the address or Router::Validate() the routes;
  /// - UNAVAILABLE if the address cannot be listened on, for example because it is in use.
  static absl::StatusOr<std::unique_ptr<Listener>> Start(ListenerOptions options,
                                                         std::vector<Route> routes);

  /// Cuts the connections that are still open, and waits for the threads. Handlers that run are
  /// waited for. Call Drain() before for an orderly end.
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// Returns the port that is listened on, also if the options said 0.
  std::uint16_t port() const;

  /// From now on, every reply carries `Connection: close`. New connections are still accepted.
  /// Returns at once.
  ///
  /// Call it when a shutdown is announced, some seconds before Drain(). Clients then move away
  /// between two requests, and no request is lost because its connection closes under it.
  void BeginClosing();

  /// Stops accepting, closes idle connections, answers the requests that have arrived, and ends the
  /// threads. Blocks until all connections have ended, for `time` at most.
  ///
  /// Returns true if all connections ended by themselves, false if some were cut.
  bool Drain(std::chrono::milliseconds time);

 private:
  class Impl;
  explicit Listener(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::server
