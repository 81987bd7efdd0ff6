#include "controller/gang_feed.h"

#include <utility>

#include "absl/status/status.h"

namespace berth::controller {

std::optional<std::vector<planner::GangOutlook>> GangFeed::Known() const {
  const std::lock_guard lock(mutex_);
  return known_;
}

void GangFeed::OnPlanned(std::vector<planner::GangOutlook> gangs,
                         const std::vector<planner::GangChange>& changes) {
  {
    const std::lock_guard lock(mutex_);
    known_ = std::move(gangs);
  }
  for (const planner::GangChange& change : changes) changes_.Publish(change);
}

void GangFeed::OnIdle() {
  {
    const std::lock_guard lock(mutex_);
    known_.reset();
  }
  changes_.EndWatches(
      absl::UnavailableError("this controller does not plan gangs any more; watch again"));
}

}  // namespace berth::controller
