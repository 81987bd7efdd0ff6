#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "doctor/check.h"

namespace berth::doctor {

/// The place of Berth's entry among the extenders: the one whose URL is that of its Service, else
/// the first that asks about a resource of the catalogue (kube-scheduler takes a resource under one
/// extender only). Nothing: there is none.
std::optional<std::size_t> BerthEntry(const Facts& facts, const Rules& rules);

/// Judges Berth's entry by `judge`(entry); where there is none, that is unknown: check
/// `registered` tells.
template <typename Judge>
Findings JudgeEntry(const Facts& facts, const Rules& rules, Judge judge) {
  const auto entry = BerthEntry(facts, rules);
  if (entry) return judge(facts.scheduler->extenders[*entry]);
  return Unknown(facts.scheduler->source + " has no extender of Berth", "see check registered");
}

/// The schedulers that ask Berth; none where there is no entry.
std::vector<std::string> BerthSchedulers(const Facts& facts, const Rules& rules);

}  // namespace berth::doctor
