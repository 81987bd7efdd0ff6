#include "doctor/finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace berth::doctor {

namespace {

Findings One(Severity severity, std::string what, std::string advice) {
  return {{.severity = severity, .what = std::move(what), .advice = std::move(advice)}};
}

}  // namespace

std::string_view NameOf(Severity severity) {
  switch (severity) {
    case Severity::kOk:
      return "ok";
    case Severity::kNote:
      return "note";
    case Severity::kWarning:
      return "warning";
    case Severity::kProblem:
      return "problem";
    case Severity::kUnknown:
      return "unknown";
  }
  return "";
}

Findings Ok(std::string what) { return One(Severity::kOk, std::move(what), ""); }

Findings Note(std::string what, std::string advice) {
  return One(Severity::kNote, std::move(what), std::move(advice));
}

Findings Warning(std::string what, std::string advice) {
  return One(Severity::kWarning, std::move(what), std::move(advice));
}

Findings Problem(std::string what, std::string advice) {
  return One(Severity::kProblem, std::move(what), std::move(advice));
}

Findings Unknown(std::string what, std::string advice) {
  return One(Severity::kUnknown, std::move(what), std::move(advice));
}

void Append(Findings more, Findings& all) { std::ranges::move(more, std::back_inserter(all)); }

std::string Listed(const std::vector<std::string>& names) {
  const std::size_t shown = std::min(names.size(), kNamesShown);
  const bool all = shown == names.size();
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    const bool last = all && i > 0 && i + 1 == shown;
    if (i > 0) text += last ? " and " : ", ";
    text += names[i];
  }
  if (!all) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

std::string Counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace berth::doctor
