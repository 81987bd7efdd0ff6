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

/// What `berth admission` runs: the webhook, which follows the configuration, and its listeners.
class AdmissionServer final : public Server {
 public:
  /// See StartServer.
  static absl::StatusOr<std::unique_ptr<Server>> Start(ConfigFollower::Options config);

  AdmissionServer(const AdmissionServer&) = delete;
  AdmissionServer& operator=(const AdmissionServer&) = delete;

  bool Drain() override;

 private:
  // Makes everything but the listeners and the follower.
  explicit AdmissionServer(const config::BerthConfiguration& config);

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
