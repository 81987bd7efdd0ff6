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

/// What all connections of one listener share. Outlives them.
struct ConnectionContext {
  Router router;
  ListenerLimits limits;
  std::shared_ptr<const TlsCertificates> tls;
  /// Never null.
  std::shared_ptr<ListenerObserver> observer;
  std::atomic<Phase> phase = Phase::kServing;
  BodyBudget bodies{limits.bodies_bytes};
  Connections connections;
};

/// Serves an accepted connection until it ends. The socket's executor must be a strand, on which
/// everything happens; returns at once.
void ServeConnection(boost::asio::ip::tcp::socket socket, ConnectionContext& context);

}  // namespace berth::server
