#include "process/lease_follower.h"

#include <utility>

#include "process/controller_server.h"
#include "server/log.h"

namespace berth::process {

LeaseFollower::LeaseFollower(kube::ApiConfig api) : api_(std::move(api)) {}

LeaseFollower::~LeaseFollower() { Stop(); }

void LeaseFollower::Follow(const config::BerthConfiguration& config) {
  const bool plans = !config.planner.schedulers.empty();
  const auto lease_namespace = LeaseNamespace(config);
  const std::string& name = config.controller.lease.name;
  const std::string lease =
      plans && lease_namespace.ok() ? *lease_namespace + '/' + name : std::string();
  if (plans && !lease_namespace.ok()) {
    server::Log(server::LogLevel::kInfo,
                "the controller's Lease is not read; kube-scheduler may evict pods although a node "
                "outside its sample fits",
                {{"reason", std::string(lease_namespace.status().message())}});
  }
  const std::lock_guard lock(mutex_);
  if (stopped_ || lease == std::exchange(lease_, lease)) return;
  reader_ = lease.empty() ? nullptr : std::make_unique<LeaseReader>(api_, *lease_namespace, name);
  {
    const std::lock_guard present(present_->mutex);
    present_->lease = reader_ == nullptr ? nullptr : reader_->lease();
  }
  if (reader_ != nullptr) reader_->Start();
}

void LeaseFollower::Stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  if (reader_ != nullptr) reader_->Stop();
}

std::function<bool()> LeaseFollower::leads() const {
  return [present = present_] {
    const std::lock_guard lock(present->mutex);
    return present->lease != nullptr &&
           present->lease->IsHeld(extender::ControllerLease::Clock::now());
  };
}

}  // namespace berth::process
