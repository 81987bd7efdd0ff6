#pragma once

#include <absl/status/statusor.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "admission/webhook.h"
#include "config/config.h"
#include "process/config_follower.h"
#include "server/listener.h"
#include "server/metrics.h"
#include "server/start_listener.h"
#include "server/tls_certificates.h"

namespace berth::process {

/// What `berth admission` runs: the webhook, which follows the configuration, its listener and the
/// one for /metrics, /healthz and /readyz. Start and Drain are called by one thread, which has made
/// server::ShutdownSignals before.
class AdmissionServer {
 public:
  /// Serves when it returns. `certificates` is null for plain HTTP. UNAVAILABLE when an address
  /// cannot be listened on.
  static absl::StatusOr<std::unique_ptr<AdmissionServer>> Start(
      ConfigFollower::Options config, std::shared_ptr<const server::TlsCertificates> certificates);

  AdmissionServer(const AdmissionServer&) = delete;
  AdmissionServer& operator=(const AdmissionServer&) = delete;

  /// An orderly end: asks clients to go, answers what has arrived, closes. Blocks for some seconds
  /// at most; false where something had to be cut.
  bool Drain();

 private:
  explicit AdmissionServer(const config::BerthConfiguration& config);

  absl::Status Listen(const config::BerthConfiguration& config,
                      std::shared_ptr<const server::TlsCertificates> certificates);
  std::vector<std::string> NotReady() const;

  // In the order of who uses whom: later ones are gone first.
  std::shared_ptr<server::Metrics> metrics_;
  admission::Webhook webhook_;
  std::atomic<bool> draining_ = false;
  server::PlainListeners plain_listeners_;
  std::unique_ptr<server::Listener> webhook_listener_;
  std::unique_ptr<ConfigFollower> follower_;
};

}  // namespace berth::process
