#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace berth::doctor {

enum class Severity {
  /// Looked at, and well.
  kOk,
  /// Worth knowing; nothing has to be done.
  kNote,
  /// Costs something, or will.
  kWarning,
  /// Does not work as it should.
  kProblem,
  /// Nobody knows, because something could not be read.
  kUnknown,
};

/// "ok", "note", "warning", "problem", "unknown".
std::string_view NameOf(Severity severity);

/// What one check says.
struct Finding {
  Severity severity = Severity::kOk;
  /// Of the check; filled in by Examine().
  std::string check = {};
  /// A sentence that names what it is about.
  std::string what;
  /// What to do; empty where nothing is to be done.
  std::string advice = {};

  friend bool operator==(const Finding&, const Finding&) = default;
};

using Findings = std::vector<Finding>;

// One finding, for checks that have no more.
Findings Ok(std::string what);
Findings Note(std::string what, std::string advice = {});
Findings Warning(std::string what, std::string advice);
Findings Problem(std::string what, std::string advice);
Findings Unknown(std::string what, std::string advice);

/// Puts `more` behind `all`.
void Append(Findings more, Findings& all);

/// Names in one sentence at most.
inline constexpr std::size_t kNamesShown = 5;

/// "a, b and c", of many "a, b, c, d, e and 41 more".
std::string Listed(const std::vector<std::string>& names);

/// "1 node", "2 nodes".
std::string Counted(std::size_t count, std::string_view noun);

}  // namespace berth::doctor
