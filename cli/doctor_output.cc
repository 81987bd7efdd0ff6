#include "cli/doctor_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/exit_code.h"
#include "cli/terminal.h"

namespace berth::cli {

namespace {

using doctor::Finding;
using doctor::Findings;
using doctor::Severity;

constexpr Severity kWorstFirst[] = {Severity::kProblem, Severity::kWarning, Severity::kUnknown,
                                    Severity::kNote, Severity::kOk};

// The findings of that severity. Findings with the same text are joined, with the names of all
// their checks.
Findings Merged(const Findings& findings, Severity severity) {
  Findings merged;
  for (const Finding& finding : findings) {
    if (finding.severity != severity) continue;
    const auto same = std::ranges::find(merged, finding.what, &Finding::what);
    if (same == merged.end()) {
      merged.push_back(finding);
    } else {
      same->check += ", " + finding.check;
    }
  }
  return merged;
}

// "2 problems, 1 note, 20 ok".
std::string Summary(const Findings& findings) {
  std::vector<std::string> parts;
  for (const Severity severity : kWorstFirst) {
    const auto count =
        static_cast<std::size_t>(std::ranges::count(findings, severity, &Finding::severity));
    if (count == 0) continue;
    const bool counts = severity == Severity::kOk || severity == Severity::kUnknown;
    parts.push_back(counts ? fmt::format("{} {}", count, NameOf(severity))
                           : doctor::Counted(count, NameOf(severity)));
  }
  return fmt::format("{}\n", fmt::join(parts, ", "));
}

// The finding for people. What it says may quote annotations, and anybody may write line ends and
// commands for terminals into those. Berth itself writes each part in one line.
std::string FindingText(const Finding& finding) {
  std::string text = fmt::format("{:<8} {}: {}\n", NameOf(finding.severity), finding.check,
                                 Printable(finding.what));
  if (finding.advice.empty()) return text;
  return text + fmt::format("{:<8} -> {}\n", "", Printable(finding.advice));
}

}  // namespace

int ExitCodeOf(const Findings& findings) {
  const auto any = [&findings](Severity severity) {
    return std::ranges::any_of(findings, [severity](const Finding& finding) {  //
      return finding.severity == severity;
    });
  };
  if (any(Severity::kProblem) || any(Severity::kWarning)) return kExitNo;
  return any(Severity::kUnknown) ? kExitUsage : kExitOk;
}

std::string FindingsText(const Findings& findings) {
  std::string text;
  for (const Severity severity : kWorstFirst) {
    for (const Finding& finding : Merged(findings, severity)) text += FindingText(finding);
  }
  return text + Summary(findings);
}

std::string FindingsJson(const Findings& findings) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Finding& finding : findings) {
    all.push_back({{"severity", NameOf(finding.severity)},
                   {"check", finding.check},
                   {"what", finding.what},
                   {"advice", finding.advice}});
  }
  const nlohmann::ordered_json root = {{"findings", std::move(all)},
                                       {"exitCode", ExitCodeOf(findings)}};
  return root.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace berth::cli
