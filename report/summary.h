#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "model/time.h"
#include "policies/scheduling/engine.h"
#include "policies/scheduling/health_config.h"
#include "report/report.h"
#include "report/survey.h"

namespace berth::report {

/// What a report is made by. A plain value.
struct SummaryRules {
  std::shared_ptr<const policies::scheduling::SchedulingEngine> engine;
  policies::scheduling::HealthConfig health;
  /// Names of namespaces that the webhook is not asked about, besides kube-system.
  std::vector<std::string> excluded_namespaces;
  /// How many findings are told.
  std::size_t findings = 10;
  /// Whether to fill in Report::all.
  bool lists_all = false;
};

/// Makes a report of everything that was surveyed, with conditions as of `now`. No I/O, no clock.
Report Summarize(const Survey& survey, const SummaryRules& rules, model::Time now);

}  // namespace berth::report
