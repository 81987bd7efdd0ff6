#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "config/config.h"
#include "extender/controller_lease.h"
#include "kube/api_config.h"
#include "process/lease_reader.h"

namespace berth::process {

/// Knows whether a controller leads, by the Lease that the configuration names, also while that
/// changes. Reads no Lease if nobody is planned for, or if it is unknown where the Lease is; then
/// nobody leads. Thread-safe.
class LeaseFollower {
 public:
  /// Connects to nothing yet.
  explicit LeaseFollower(kube::ApiConfig api);
  /// Calls Stop().
  ~LeaseFollower();
  LeaseFollower(const LeaseFollower&) = delete;
  LeaseFollower& operator=(const LeaseFollower&) = delete;

  /// Reads the Lease of that configuration from now on. Logs why, if it reads none where it should.
  /// Has no effect if it is the same Lease as before, and after Stop().
  void Follow(const config::BerthConfiguration& config);

  /// Ends all reading. May be called repeatedly.
  void Stop();

  /// Returns what says whether a controller leads. It may be called as long as somebody likes.
  std::function<bool()> leads() const;

 private:
  // What is read at present. Outlives the follower if somebody asks.
  struct Present {
    std::mutex mutex;
    std::shared_ptr<extender::ControllerLease> lease;
  };

  const kube::ApiConfig api_;
  const std::shared_ptr<Present> present_ = std::make_shared<Present>();

  // Guards the members below.
  std::mutex mutex_;
  bool stopped_ = false;
  // What is read: "<namespace>/<name>". Empty: nothing.
  std::string lease_;
  std::unique_ptr<LeaseReader> reader_;
};

}  // namespace berth::process
