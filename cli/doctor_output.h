#pragma once

#include <string>

#include "cli/doctor/finding.h"

namespace berth::cli {

/// A table for people, what is worst first; what is unknown for one reason once.
std::string FindingsText(const doctor::Findings& findings);

/// {"findings": [{"severity", "check", "what", "advice"}], "exitCode"}, in the order of the checks.
std::string FindingsJson(const doctor::Findings& findings);

}  // namespace berth::cli
