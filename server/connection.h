#pragma once

#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <memory>

#include "server/body_budget.h"
#include "server/connections.h"
#include "server/limits.h"
#include "server/observer.h"
#include "server/router.h"
#include "server/tls_certificates.h"

namespace berth::server {

/// What all connections of one listener share. The listener owns it, and it outlives them.
/// Connections use it on all of the listener's threads, so every member is constant or thread-safe.
struct ConnectionContext {
  /// Finds the handler of each request.
  Router router;
  /// See ListenerLimits; the same for all connections.
  ListenerLimits limits;
  /// Null: connections are plain HTTP.
  std::shared_ptr<const TlsCertificates> tls;
  /// Never null.
  std::shared_ptr<ListenerObserver> observer;
  /// How far the listener's shutdown has come. Idle connections notice a change only after
  /// Connections::WakeAll().
  std::atomic<Phase> phase = Phase::kServing;
  /// Memory for bodies and replies, limited by `limits.bodies_bytes`.
  BodyBudget bodies{limits.bodies_bytes};
  /// The connections that are open now.
  Connections connections;
};

/// Serves an accepted connection until it ends: the TLS handshake if `context.tls` is set, then one
/// request after the other. Returns at once; the work happens on the socket's executor, which must
/// be a strand. The connection uses the certificate that is current now.
///
/// What goes wrong later is reported to `context.observer` and ends only this connection. Throws,
/// and closes the socket, if there is not enough memory to begin.
///
/// A connection takes these steps, each of them within the limit in brackets:
///
///   1. TLS handshake (handshake)
///   2. wait for the first byte of a request (idle)
///   3. read the header (header, header_bytes)
///   4. read the body (body, the route's max_body, bodies_bytes), and call the route's handler
///   5. write the reply (write, bodies_bytes), and go on with step 2
///   6. close: TLS's close_notify, and wait until the client closes its side (close)
///
/// Step 6 follows step 2 if no request came, and step 5 if the reply said so. After other failures
/// the connection is cut.
void ServeConnection(boost::asio::ip::tcp::socket socket, ConnectionContext& context);

}  // namespace berth::server
