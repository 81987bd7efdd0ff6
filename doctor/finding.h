#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace berth::doctor {

/// How bad a finding is.
enum class Severity {
  /// The check looked, and all is well.
  kOk,
  /// Worth knowing, but nothing has to be done.
  kNote,
  /// Costs something now or later.
  kWarning,
  /// Something does not work as it should.
  kProblem,
  /// The check could not judge, because something could not be read.
  kUnknown,
};

/// As users read it: "ok", "note", "warning", "problem", "unknown".
std::string_view NameOf(Severity severity);

/// One answer of a check.
struct Finding {
  Severity severity = Severity::kOk;
  /// Name of the check; Examine() fills it in.
  std::string check = {};
  /// A sentence that names the objects concerned, without a full stop.
  std::string what;
  /// What to do; empty if nothing has to be done.
  std::string advice = {};

  friend bool operator==(const Finding&, const Finding&) = default;
};

using Findings = std::vector<Finding>;

// Make a list with one finding, for checks that have only one:
//
//   if (missing.empty()) return Ok("every node has its label");
//   return Problem(Listed(missing) + " lack their label", "look at the controller's log");
Findings Ok(std::string what);
Findings Note(std::string what, std::string advice = {});
Findings Warning(std::string what, std::string advice);
Findings Problem(std::string what, std::string advice);
Findings Unknown(std::string what, std::string advice);

/// Adds `more` at the end of `all`.
void Append(Findings more, Findings& all);

/// The most names in one sentence.
inline constexpr std::size_t kNamesShown = 5;

/// Names for a sentence: "a, b and c". More than kNamesShown become "a, b, c, d, e and 41 more".
std::string Listed(const std::vector<std::string>& names);

/// A number with its noun: "1 node", "2 nodes".
std::string Counted(std::size_t count, std::string_view noun);

}  // namespace berth::doctor
