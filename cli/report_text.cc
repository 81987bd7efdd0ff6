#include <absl/strings/str_join.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/age.h"
#include "cli/report_output.h"
#include "cli/text_table.h"
#include "report/amount_text.h"

namespace berth::cli {

namespace {

using report::Compute;
using report::CoresText;
using report::Effect;
using report::EffectCounts;
using report::MemoryText;
using report::Report;

constexpr std::size_t kNamespacesInText = 20;
constexpr std::size_t kUnreadableInText = 5;

std::string Count(std::size_t count) { return report::CountText(static_cast<std::int64_t>(count)); }

std::string Section(std::string_view title, std::string_view body) {
  return fmt::format("\n{}\n{}", title, body);
}

// A line of a list. Texts of a dump are anybody's.
std::string Indented(const std::string& text) { return "    " + Printable(text) + "\n"; }

// A number that is red where there is something.
Cell BadCount(std::size_t count) { return {Count(count), count > 0 ? Tone::kBad : Tone::kPlain}; }

std::string ExamplesLine(const std::vector<std::string>& examples) {
  return examples.empty() ? "" : Indented("such as " + absl::StrJoin(examples, "; "));
}

std::string Head(const Report& report) {
  const report::ObjectCounts& objects = report.objects;
  std::string text = fmt::format(
      "What Berth would do with {}, {} and {} with templates of pods, on {}, if their namespaces "
      "enforced.\nAs of {}; {} of them have ended. Nothing that runs is touched: what is told is "
      "what would become of\neach object if it were created again.\n",
      CountOf(objects.pods.Sum(), "pod"), CountOf(objects.jobs.Sum(), "Job"),
      CountOf(objects.templates.Sum(), "object"), CountOf(report.nodes, "node"),
      FormatTime(report.time), Count(report.ended));
  for (const std::string& note : report.notes) text += "Note: " + Printable(note) + "\n";
  return text;
}

Row CountsRow(std::string name, std::string admission, std::string kind,
              const EffectCounts& counts) {
  Row row = {std::move(name), std::move(admission), std::move(kind), Count(counts.Sum()),
             BadCount(counts[Effect::kDenied])};
  for (const Effect effect :
       {Effect::kChanged, Effect::kWarned, Effect::kUnchanged, Effect::kLeftAlone}) {
    row.emplace_back(Count(counts[effect]));
  }
  return row;
}

// Up to three rows: for pods, Jobs and templates, if there are any. `placed` is about pods.
void AddRows(const std::string& name, const std::string& admission,
             const report::ObjectCounts& objects, const Row& placed, std::vector<Row>& rows) {
  bool first = true;
  for (const auto& [kind, counts] :
       {std::pair("pods", &objects.pods), std::pair("Jobs", &objects.jobs),
        std::pair("templates", &objects.templates)}) {
    if (counts->Sum() == 0) continue;
    rows.push_back(CountsRow(first ? name : "", first ? admission : "", kind, *counts));
    if (counts == &objects.pods)
      rows.back().insert(rows.back().end(), placed.begin(), placed.end());
    first = false;
  }
}

// "guaranteed-qos 3, isolation 1"
std::string DeniedByText(const report::NamespaceReport& report) {
  std::vector<std::string> parts;
  for (const auto& [policy, count] : report.denied_by) parts.push_back(policy + " " + Count(count));
  return absl::StrJoin(parts, ", ");
}

// Wide, the first row of the namespace also says by which policies objects are denied there.
void AddNamespace(const report::NamespaceReport& report, bool wide, std::vector<Row>& rows) {
  const std::size_t first = rows.size();
  AddRows(report.name, AdmissionText(report), report.objects,
          {BadCount(report.refused), Count(report.moved)}, rows);
  if (!wide || rows.size() == first) return;
  rows[first].resize(rows.front().size() - 1, "");
  rows[first].emplace_back(DeniedByText(report));
}

// "vision: guaranteed-qos 3, isolation 1", a line for each of the first namespaces.
std::string DeniedLines(const Report& report) {
  std::string lines;
  const std::size_t shown = std::min(report.by_namespace.size(), kNamespacesInText);
  for (std::size_t i = 0; i < shown; ++i) {
    const report::NamespaceReport& each = report.by_namespace[i];
    if (each.denied_by.empty()) continue;
    lines += fmt::format("{}: {}\n", Printable(each.name), DeniedByText(each));
  }
  return lines.empty() ? "" : "Denied by policy:\n" + lines;
}

std::string NamespacesText(const Report& report, const TableStyle& style) {
  std::vector<Row> rows = {{"NAMESPACE", "ADMISSION", "OBJECTS", "ALL", "DENIED", "CHANGED",
                            "WARNED", "SAME", "LEFT ALONE", "REFUSED", "MOVED"}};
  if (style.wide) rows.front().emplace_back("DENIED BY");
  const std::size_t all = report.by_namespace.size();
  const std::size_t shown = style.wide ? all : std::min(all, kNamespacesInText);
  std::size_t refused = 0;
  std::size_t moved = 0;
  for (std::size_t i = 0; i < all; ++i) {
    refused += report.by_namespace[i].refused;
    moved += report.by_namespace[i].moved;
    if (i < shown) AddNamespace(report.by_namespace[i], style.wide, rows);
  }
  AddRows("all", "", report.objects, {BadCount(refused), Count(moved)}, rows);
  std::string text = FormatTable(rows, style.terminal);
  if (shown < all) {
    text +=
        fmt::format("{} more namespaces: -o wide, json and html have all\n", Count(all - shown));
  }
  return Section("BY NAMESPACE", style.wide ? text : text + DeniedLines(report));
}

std::string FindingsText(const Report& report) {
  std::string text;
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    const report::FindingReport& finding = report.findings[i];
    text += fmt::format("{:>2}. {}, {}: {}\n", i + 1, finding.policy, EffectText(finding.effect),
                        CountedObjects(finding));
    text += Indented(finding.says) + ExamplesLine(finding.examples);
  }
  if (text.empty()) text = "none\n";
  return Section(fmt::format("MOST FREQUENT FINDINGS, {} OF {}", report.findings.size(),
                             Count(report.different_findings)),
                 text);
}

std::string PoolsText(const Report& report, const Terminal& terminal) {
  if (report.pools.empty() && report.waiting == 0) return "";
  std::vector<Row> rows = {{"ACCELERATOR", "NODES", "CORES", "NOW", "THEN", "MEMORY", "NOW", "THEN",
                            "TOO FULL NOW", "THEN"}};
  std::string examples;
  for (const report::PoolReport& pool : report.pools) {
    rows.push_back({PoolText(pool.accelerator), Count(pool.nodes), CoresText(pool.allocatable.cpu),
                    CoresText(pool.now.cpu), CoresText(pool.then.cpu),
                    MemoryText(pool.allocatable.memory), MemoryText(pool.now.memory),
                    MemoryText(pool.then.memory), Count(pool.crowded_now),
                    BadCount(pool.crowded_then)});
    if (pool.crowded_then == 0) continue;
    examples +=
        fmt::format("{}: the pods of {} would no longer fit together, such as {}\n",
                    Printable(PoolText(pool.accelerator)), CountOf(pool.crowded_then, "node"),
                    Printable(absl::StrJoin(pool.examples, "; ")));
  }
  if (report.waiting > 0) {
    rows.push_back({"(waiting pods)", "-", "-", CoresText(report.waiting_now.cpu),
                    CoresText(report.waiting_then.cpu), "-", MemoryText(report.waiting_now.memory),
                    MemoryText(report.waiting_then.memory), "-", "-"});
  }
  return Section("CPU AND MEMORY THAT NODES HAVE, THAT PODS REQUEST NOW, AND THEN",
                 FormatTable(rows, terminal) + examples);
}

std::string MisplacedText(const Report& report) {
  std::string text;
  for (const report::RefusedReport& refused : report.refused) {
    text += fmt::format("refused: {} on nodes for: {}\n", CountOf(refused.pods, "pod"),
                        Printable(refused.summary)) +
            ExamplesLine(refused.examples);
  }
  for (const report::MovedReport& moved : report.moved) {
    text += fmt::format("moved: {} without accelerators on {} with {}, which request {} there\n",
                        CountOf(moved.pods, "pod"), CountOf(moved.nodes, "node"),
                        Printable(moved.accelerator), report::ComputeText(moved.now)) +
            ExamplesLine(moved.examples);
  }
  if (text.empty()) text = "none\n";
  return Section("PODS THAT BERTH WOULD NOT PUT WHERE THEY RUN; THEY STAY UNTIL THEY END", text);
}

std::string ExcludedText(const Report& report, const Terminal& terminal) {
  std::vector<Row> rows = {{"CONDITION", "ACCELERATOR", "NODES", "DEVICES", "FOR", "SUCH AS"}};
  for (const report::ExcludedReport& each : report.excluded) {
    rows.push_back({each.condition, PoolText(each.accelerator), BadCount(each.nodes),
                    Count(static_cast<std::size_t>(each.devices)),
                    each.resources.empty() ? "all pods" : absl::StrJoin(each.resources, ", "),
                    absl::StrJoin(each.examples, ", ")});
  }
  std::string text = rows.size() > 1 ? FormatTable(rows, terminal) : "none\n";
  if (!report.silent_conditions.empty()) {
    text += fmt::format("No node publishes {}: `berth doctor --only conditions` says what to do.\n",
                        Printable(absl::StrJoin(report.silent_conditions, ", ")));
  }
  return Section("NODES THAT CONDITIONS EXCLUDE NOW", text);
}

std::string UnreadText(const Report& report, bool wide) {
  std::string text;
  if (report.unreadable.count > 0) {
    text += fmt::format("{} could not be read:\n", CountOf(report.unreadable.count, "object"));
    const std::size_t known = report.unreadable.examples.size();
    const std::size_t shown = wide ? known : std::min(known, kUnreadableInText);
    for (std::size_t i = 0; i < shown; ++i) {
      text += "  " + Printable(report.unreadable.examples[i]) + "\n";
    }
    if (shown < report.unreadable.count) text += "  ...\n";
  }
  for (const report::OtherKindReport& other : report.other_kinds) {
    if (other.why.empty()) continue;
    text +=
        fmt::format("{}: not foretold: {}\n", CountOf(other.count, "object"), Printable(other.why));
  }
  return text.empty() ? "" : Section("NOT IN THE REPORT", text);
}

}  // namespace

std::string_view EffectText(Effect effect) {
  switch (effect) {
    case Effect::kLeftAlone:
      return "left alone";
    case Effect::kUnchanged:
      return "unchanged";
    case Effect::kWarned:
      return "warned";
    case Effect::kChanged:
      return "changed";
    case Effect::kDenied:
      return "denied";
  }
  return "";
}

std::string CountOf(std::size_t count, std::string_view singular) {
  return fmt::format("{} {}{}", Count(count), singular, count == 1 ? "" : "s");
}

std::string CountedObjects(const report::FindingReport& finding) {
  std::vector<std::string> parts;
  if (finding.pods > 0) parts.push_back(CountOf(finding.pods, "pod"));
  if (finding.jobs > 0) parts.push_back(CountOf(finding.jobs, "Job"));
  if (finding.templates > 0) parts.push_back(CountOf(finding.templates, "template"));
  return fmt::format("{} ({})", CountOf(finding.workloads, "workload"), absl::StrJoin(parts, ", "));
}

std::string AdmissionText(const report::NamespaceReport& report) {
  if (report.standing == report::Standing::kExcluded) return "excluded";
  return report.label.empty() ? "-" : report.label;
}

std::string PoolText(const std::string& accelerator) {
  return accelerator.empty() ? "none" : accelerator;
}

std::string ReportText(const Report& report, const TableStyle& style) {
  return Head(report) + NamespacesText(report, style) + FindingsText(report) +
         PoolsText(report, style.terminal) + MisplacedText(report) +
         ExcludedText(report, style.terminal) + UnreadText(report, style.wide);
}

}  // namespace berth::cli
