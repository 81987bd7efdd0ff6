#pragma once

#include "model/time.h"
#include "report/report.h"
#include "report/standings.h"
#include "report/summary.h"
#include "report/survey.h"

// The part of a report that is about nodes.

namespace berth::report {

/// Why Berth would not put a bound pod where it is. Empty, and false, if it would.
struct Misplacement {
  /// The short reason for which the scheduling policies refuse the node.
  std::string refused;
  /// Whether it asks for no accelerator and would be kept off the node, which has some.
  bool moved = false;
};

/// Fills in `pools`, `waiting`, `refused`, `moved`, `excluded`, `silent_conditions` and notes about
/// nodes. Returns one element for each record of the survey.
std::vector<Misplacement> SummarizeNodes(const Survey& survey, const Standings& standings,
                                         const SummaryRules& rules, model::Time now,
                                         Report& report);

}  // namespace berth::report
