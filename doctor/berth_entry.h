#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "doctor/check.h"

// Finds Berth's entry in kube-scheduler's configuration, for the checks that judge it.

namespace berth::doctor {

/// Returns the position of Berth's entry in facts.scheduler->extenders. This is the entry whose URL
/// is that of Berth's Service or, failing that, the first one that manages a resource of the
/// catalogue: kube-scheduler allows a resource under one extender only. Nothing if there is no such
/// entry. `facts.scheduler` must be there.
std::optional<std::size_t> BerthEntry(const Facts& facts, const Rules& rules);

/// Returns judge(entry) for Berth's entry. If there is no entry, returns an Unknown finding that
/// points to the check `registered`. `facts.scheduler` must be there.
template <typename Judge>
Findings JudgeEntry(const Facts& facts, const Rules& rules, Judge judge) {
  const auto entry = BerthEntry(facts, rules);
  if (entry) return judge(facts.scheduler->extenders[*entry]);
  return Unknown(facts.scheduler->source + " has no extender of Berth", "see check registered");
}

/// The names of the scheduler's profiles if it has an entry for Berth; empty otherwise.
/// `facts.scheduler` must be there.
std::vector<std::string> BerthSchedulers(const Facts& facts, const Rules& rules);

}  // namespace berth::doctor
