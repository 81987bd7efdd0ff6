#pragma once

#include <string>

#include "doctor/finding.h"

namespace berth::cli {

/// What a process that printed these tells its caller: 0 all is well or noted, 1 something is
/// wrong, 2 nothing is known to be wrong but something is unknown.
int ExitCodeOf(const doctor::Findings& findings);

/// A table for people, what is worst first; what is unknown for one reason once.
std::string FindingsText(const doctor::Findings& findings);

/// {"findings": [{"severity", "check", "what", "advice"}], "exitCode"}, in the order of the checks.
std::string FindingsJson(const doctor::Findings& findings);

}  // namespace berth::cli
