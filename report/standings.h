#pragma once

#include <vector>

#include "report/report.h"
#include "report/summary.h"
#include "report/survey.h"

namespace berth::report {

/// What the labels and names of namespaces make of verdicts. Refers to the survey. Immutable.
class Standings {
 public:
  Standings(const Survey& survey, const SummaryRules& rules);

  /// By Record::namespace_name.
  Standing Of(Survey::TextId namespace_name) const { return states_[namespace_name].standing; }
  bool IsAllowed(Survey::TextId namespace_name) const { return states_[namespace_name].allowed; }

  /// What would become of the object.
  Survey::Verdict VerdictOn(const Survey::Record& record) const;
  /// Whether the sighting counts: Berth is asked about its object, and of two opinions on it, it is
  /// part of the one that holds.
  bool Counts(const Survey::Sighting& sighting) const;
  /// What the object would request if it were created again.
  Compute ThenOf(const Survey::Record& record) const;

 private:
  struct State {
    Standing standing = Standing::kAsked;
    bool allowed = false;
  };

  const Survey& survey_;
  std::vector<State> states_;
};

}  // namespace berth::report
