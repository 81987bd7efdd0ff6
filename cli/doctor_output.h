#pragma once

#include <string>

#include "doctor/finding.h"

namespace berth::cli {

/// The exit code of a process that printed these findings: 0 if there are only oks and notes, 1 if
/// there is a problem or warning, 2 if nothing is known to be wrong but something is unknown.
int ExitCodeOf(const doctor::Findings& findings);

/// The findings for people, worst first, with a summary line at the end. Findings with the same
/// text are shown once, with the names of all their checks.
///
///   problem  labels: 2 accelerator nodes without label berth.dev/accelerator: ...
///            -> the controller sets it: look at its log
///   ok       weight: weight is 31
///   1 problem, 1 ok
std::string FindingsText(const doctor::Findings& findings);

/// The findings as JSON, in the order of the checks. docs/doctor.md describes the format:
/// {"findings": [{"severity", "check", "what", "advice"}], "exitCode"}
std::string FindingsJson(const doctor::Findings& findings);

}  // namespace berth::cli
