#include "report/standings.h"

#include <algorithm>
#include <string>

namespace berth::report {

namespace {

// The chart never has the webhook asked about it.
constexpr std::string_view kKubeSystem = "kube-system";

Standing StandingOf(const std::string& name, const std::string& mode,
                    const std::vector<std::string>& excluded) {
  if (name == kKubeSystem || std::ranges::find(excluded, name) != excluded.end()) {
    return Standing::kExcluded;
  }
  return mode == "off" ? Standing::kOff : Standing::kAsked;
}

}  // namespace

Standings::Standings(const Survey& survey, const SummaryRules& rules) : survey_(survey) {
  for (std::size_t i = 0; i < survey.namespaces().size(); ++i) {
    const std::string& name = survey.namespaces()[static_cast<Survey::TextId>(i)];
    const auto labels = survey.labels().find(name);
    const bool seen = labels != survey.labels().end();
    const std::string mode = seen ? labels->second.mode : "";
    states_.push_back({.standing = StandingOf(name, mode, rules.excluded_namespaces),
                       .allowed = seen && labels->second.accelerator_nodes_allowed});
  }
}

Survey::Verdict Standings::VerdictOn(const Survey::Record& record) const {
  if (Of(record.namespace_name) != Standing::kAsked) return {.effect = Effect::kLeftAlone};
  const bool alternative = record.has_alternative && IsAllowed(record.namespace_name);
  return alternative ? record.where_allowed : record.verdict;
}

bool Standings::Counts(const Survey::Sighting& sighting) const {
  const Survey::Record& record = survey_.records()[sighting.record];
  if (Of(record.namespace_name) != Standing::kAsked) return false;
  const bool alternative = record.has_alternative && IsAllowed(record.namespace_name);
  return sighting.where_allowed == alternative;
}

Compute Standings::ThenOf(const Survey::Record& record) const {
  return VerdictOn(record).effect == Effect::kChanged ? record.then : record.now;
}

}  // namespace berth::report
