#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "planner/gang_change.h"
#include "planner/gangs.h"
#include "server/broker.h"

namespace berth::controller {

/// What clients are told of gangs: how the last round left them, and each change. Outlives the
/// Nominator that tells it, so that clients need not know of changes of the configuration.
/// Thread-safe.
class GangFeed {
 public:
  /// Returns the gangs of which pods wait, as the last round left them. Nothing: there was none
  /// since this controller leads.
  std::optional<std::vector<planner::GangOutlook>> Known() const;

  /// Passes on each change. Its watches end when nothing is planned any more.
  server::Broker<planner::GangChange>& changes() { return changes_; }

  /// A round has left the gangs so, with these changes.
  void OnPlanned(std::vector<planner::GangOutlook> gangs,
                 const std::vector<planner::GangChange>& changes);

  /// Nothing is planned any more: another controller leads, or the planner was switched off.
  void OnIdle();

 private:
  mutable std::mutex mutex_;
  std::optional<std::vector<planner::GangOutlook>> known_;  // guarded by mutex_
  server::Broker<planner::GangChange> changes_;
};

}  // namespace berth::controller
