#include <fmt/format.h>

#include "doctor/berth_entry.h"
#include "doctor/checks/all.h"

namespace berth::doctor::checks {

namespace {

constexpr const char* kPrintEntry = "add the entry that `berth stanza` prints under extenders";

// Without one of these verbs, kube-scheduler silently leaves out that question.
std::vector<std::string> MissingVerbs(const ExtenderEntry& entry) {
  std::vector<std::string> missing;
  if (entry.filter_verb != "filter") missing.emplace_back("filterVerb: filter");
  if (entry.prioritize_verb != "prioritize") missing.emplace_back("prioritizeVerb: prioritize");
  if (entry.preempt_verb != "preempt") missing.emplace_back("preemptVerb: preempt");
  return missing;
}

Findings JudgeVerbs(const ExtenderEntry& entry, const std::string& source) {
  if (!entry.bind_verb.empty()) {
    return Problem(fmt::format("{} has bindVerb {} for {}, which Berth does not serve", source,
                               entry.bind_verb, entry.url_prefix),
                   "remove bindVerb");
  }
  const std::vector<std::string> missing = MissingVerbs(entry);
  if (missing.empty()) return Ok(fmt::format("{} calls {}", source, entry.url_prefix));
  return Problem(fmt::format("{} does not call {} for everything", source, entry.url_prefix),
                 fmt::format("write {}", Listed(missing)));
}

Findings CheckRegistered(const Facts& facts, const Rules& rules) {
  const auto entry = BerthEntry(facts, rules);
  if (entry) return JudgeVerbs(facts.scheduler->extenders[*entry], facts.scheduler->source);
  return Problem(facts.scheduler->source + " has no extender of Berth", kPrintEntry);
}

}  // namespace

Check Registered() {
  return {.name = "registered",
          .help = "kube-scheduler calls Berth's extender",
          .needs = {Source::kScheduler},
          .uses = {Source::kService},
          .run = CheckRegistered};
}

}  // namespace berth::doctor::checks
