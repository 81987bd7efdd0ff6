#pragma once

#include <string>
#include <vector>

#include "doctor/check.h"

// Who plans for kube-scheduler's pods, for the checks that depend on it.

namespace berth::doctor {

/// Whether planner.schedulers names that profile.
bool IsPlanned(const SchedulerProfile& profile, const Rules& rules);

/// Whether a controller holds its Lease and has renewed it within the last minute: it does so every
/// two seconds, and clocks may differ. `facts.leader` must be there.
bool Leads(const Facts& facts);

/// Why nobody leads, in words: "Lease berth-controller does not exist". `facts.leader` must be
/// there, and Leads() false.
std::string WhyNobodyLeads(const Facts& facts);

}  // namespace berth::doctor
