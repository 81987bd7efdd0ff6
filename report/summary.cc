#include "report/summary.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "report/finding_pattern.h"
#include "report/node_summary.h"
#include "report/plain_text.h"
#include "report/standings.h"

namespace berth::report {

namespace {

using Record = Survey::Record;

constexpr std::size_t kFindingExamples = 3;

EffectCounts& CountsFor(const Record& record, ObjectCounts& counts) {
  if (record.is_pod) return counts.pods;
  return record.is_job ? counts.jobs : counts.templates;
}

// Those with most to change come first.
bool ComesBefore(const NamespaceReport& a, const NamespaceReport& b) {
  const auto with = [](const NamespaceReport& report, Effect effect) {
    return report.objects.pods[effect] + report.objects.jobs[effect] +
           report.objects.templates[effect];
  };
  const auto key = [&](const NamespaceReport& report) {
    return std::pair(with(report, Effect::kDenied), with(report, Effect::kChanged));
  };
  return key(a) != key(b) ? key(a) > key(b) : a.name < b.name;
}

std::string FullNameOf(const Record& record, const Survey& survey) {
  return survey.namespaces()[record.namespace_name] + "/" + survey.kinds()[record.kind] + " " +
         record.name;
}

// Counts the objects of one finding.
struct FindingCounter {
  FindingReport report;
  std::vector<std::uint64_t> workloads;
  // Workloads of the examples.
  std::set<std::uint64_t> shown;

  void Add(const Record& record, const Survey& survey) {
    const std::uint64_t workload = survey.TopOf(record.workload);
    workloads.push_back(workload);
    ++(record.is_pod ? report.pods : record.is_job ? report.jobs : report.templates);
    if (report.examples.size() == kFindingExamples || !shown.insert(workload).second) return;
    report.examples.push_back(FullNameOf(record, survey));
  }

  FindingReport Take() {
    std::ranges::sort(workloads);
    const auto rest = std::unique(workloads.begin(), workloads.end());
    report.workloads = static_cast<std::size_t>(rest - workloads.begin());
    return std::move(report);
  }
};

void AddFindings(const Survey& survey, const Standings& standings, std::size_t most,
                 Report& report) {
  std::vector<FindingCounter> counters(survey.findings().size());
  for (const Survey::Sighting& sighting : survey.sightings()) {
    if (!standings.Counts(sighting)) continue;
    counters[sighting.finding].Add(survey.records()[sighting.record], survey);
  }
  for (std::size_t i = 0; i < counters.size(); ++i) {
    if (counters[i].workloads.empty()) continue;
    const Survey::Finding& finding = survey.findings()[i];
    FindingReport told = counters[i].Take();
    told.policy = finding.policy;
    told.effect = finding.effect;
    told.says = finding.first_text;
    told.write = AdviceIn(finding.first_text);
    report.findings.push_back(std::move(told));
  }
  report.different_findings = report.findings.size();
  std::ranges::stable_sort(report.findings, [](const FindingReport& a, const FindingReport& b) {
    const auto key = [](const FindingReport& each) {
      return std::tuple(each.workloads, each.pods + each.jobs + each.templates, each.effect);
    };
    return key(a) > key(b);
  });
  if (report.findings.size() > most) report.findings.resize(most);
}

// Counts objects by namespace.
class NamespaceCounter {
 public:
  NamespaceCounter(const Survey& survey, const Standings& standings) : survey_(survey) {
    for (std::size_t i = 0; i < survey.namespaces().size(); ++i) {
      const auto id = static_cast<Survey::TextId>(i);
      const auto labels = survey.labels().find(survey.namespaces()[id]);
      reports_.push_back({.name = survey.namespaces()[id],
                          .standing = standings.Of(id),
                          .label = labels == survey.labels().end() ? "" : labels->second.mode});
    }
  }

  void Add(const Record& record, const Survey::Verdict& verdict, const Misplacement& misplaced) {
    NamespaceReport& report = reports_[record.namespace_name];
    ++CountsFor(record, report.objects)[verdict.effect];
    if (verdict.effect == Effect::kDenied) {
      for (const std::string_view policy : survey_.PoliciesIn(verdict)) {
        ++report.denied_by[std::string(policy)];
      }
    }
    report.refused += misplaced.refused.empty() ? 0 : 1;
    report.moved += misplaced.moved ? 1 : 0;
  }

  std::vector<NamespaceReport> Take() {
    std::ranges::sort(reports_, ComesBefore);
    return std::move(reports_);
  }

 private:
  const Survey& survey_;
  // By Record::namespace_name.
  std::vector<NamespaceReport> reports_;
};

ObjectReport ObjectOf(const Record& record, const Survey& survey, const Survey::Verdict& verdict,
                      const Misplacement& misplaced) {
  ObjectReport object{.namespace_name = survey.namespaces()[record.namespace_name],
                      .kind = survey.kinds()[record.kind],
                      .name = record.name,
                      .effect = verdict.effect,
                      .policies = survey.PoliciesIn(verdict)};
  if (record.node != Survey::kNoText) {
    object.node = PlainText(survey.nodes()[record.node], kMaxName);
  }
  object.refused = misplaced.refused;
  object.moved = misplaced.moved;
  return object;
}

void AddNotes(const Survey& survey, Report& report) {
  if (report.objects.pods.Sum() == 0) report.notes.emplace_back("no Pod was seen");
  if (report.objects.jobs.Sum() == 0) {
    report.notes.emplace_back(
        "no Job was seen: what becomes of Jobs is not known, only of their pods");
  }
  if (survey.labels().empty()) {
    report.notes.emplace_back(
        "no Namespace was seen: their labels, by which some may be off or may use nodes with "
        "accelerators, are not known");
  }
}

}  // namespace

Report Summarize(const Survey& survey, const SummaryRules& rules, model::Time now) {
  Report report{.time = now,
                .nodes = survey.node_count(),
                .namespaces = survey.labels().size(),
                .unreadable = survey.unreadable()};
  const Standings standings(survey, rules);
  const std::vector<Misplacement> misplaced = SummarizeNodes(survey, standings, rules, now, report);
  NamespaceCounter namespaces(survey, standings);
  for (std::size_t i = 0; i < survey.records().size(); ++i) {
    const Record& record = survey.records()[i];
    const Survey::Verdict verdict = standings.VerdictOn(record);
    ++CountsFor(record, report.objects)[verdict.effect];
    report.ended += record.ended ? 1 : 0;
    namespaces.Add(record, verdict, misplaced[i]);
    if (rules.lists_all) report.all.push_back(ObjectOf(record, survey, verdict, misplaced[i]));
  }
  report.by_namespace = namespaces.Take();
  AddFindings(survey, standings, rules.findings, report);
  for (const auto& [kind, other] : survey.others()) {
    report.other_kinds.push_back({.kind = kind, .count = other.count, .why = other.why});
  }
  AddNotes(survey, report);
  return report;
}

}  // namespace berth::report
