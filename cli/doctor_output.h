#pragma once

#include <string>

#include "doctor/finding.h"

namespace berth::cli {

/// The exit code of a process that printed these findings: 0 if there are only oks and notes, 1 if
/// there is a problem or warning, 2 if nothing is known to be wrong but something is unknown.
int ExitCodeOf(const doctor::Findings& findings);

/// The findings for people, worst first, with a summary line at the end. Findings with the same
/// text are shown once, with the names of all their checks.
std::string FindingsText(const doctor::Findings& findings);

/// {"findings": [{"severity", "check", "what", "advice"}], "exitCode"}, in the order of the checks.
std::string FindingsJson(const doctor::Findings& findings);

}  // namespace berth::cli
