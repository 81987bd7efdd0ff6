#include "doctor/planning.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/duration.h"

namespace berth::doctor {

namespace {

constexpr std::chrono::minutes kFresh{1};

}  // namespace

bool IsPlanned(const SchedulerProfile& profile, const Rules& rules) {
  const std::vector<std::string>& planned = rules.config.planner.schedulers;
  return std::ranges::find(planned, profile.name) != planned.end();
}

bool Leads(const Facts& facts) {
  const LeaderFacts& leader = *facts.leader;
  return !leader.holder.empty() && leader.renewed + kFresh >= facts.now;
}

std::string WhyNobodyLeads(const Facts& facts) {
  const LeaderFacts& leader = *facts.leader;
  if (!leader.exists) return fmt::format("Lease {} does not exist", leader.lease);
  if (leader.holder.empty()) return fmt::format("nobody holds Lease {}", leader.lease);
  return fmt::format("{} renewed Lease {} {} ago", leader.holder, leader.lease,
                     model::FormatDuration(facts.now - leader.renewed));
}

}  // namespace berth::doctor
