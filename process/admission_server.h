#pragma once

#include <absl/status/statusor.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "admission/webhook.h"
#include "config/config.h"
#include "process/config_follower.h"
#include "process/server.h"
#include "server/metrics.h"

namespace berth::process {

/// Everything that `berth admission` runs: the webhook and its listener, the listeners for metrics
/// and probes, and a follower of the configuration file. Reviews are answered on the threads of the
/// listener. The process opens no connections.
class AdmissionServer final : public Server {
 public:
  /// See StartServer. A changed configuration file takes effect in reviews that begin after it was
  /// read. Changes of addresses, certificate paths and limits take effect only after a restart.
  static absl::StatusOr<std::unique_ptr<Server>> Start(ConfigFollower::Options config);

  AdmissionServer(const AdmissionServer&) = delete;
  AdmissionServer& operator=(const AdmissionServer&) = delete;

  /// Stops following the file, and ends the listener for reviews, while /readyz answers 503. Blocks
  /// for up to about eleven seconds.
  bool Drain() override;

 private:
  // Makes everything but the listeners and the follower.
  explicit AdmissionServer(const config::BerthConfiguration& config);

  // The reasons for which /readyz answers 503; empty if the server is ready.
  std::vector<std::string> NotReady() const;

  // In the order of dependency: members are destroyed in reverse, users first.
  std::shared_ptr<server::Metrics> metrics_;
  admission::Webhook webhook_;
  // Set by Drain(), read by the threads of the probes.
  std::atomic<bool> draining_ = false;
  Listeners listeners_;
  std::unique_ptr<ConfigFollower> follower_;
};

}  // namespace berth::process
