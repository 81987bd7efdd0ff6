#include <absl/strings/str_join.h>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/age.h"
#include "cli/report_output.h"
#include "report/amount_text.h"

namespace berth::cli {

namespace {

using report::Compute;
using report::CoresText;
using report::Effect;
using report::EffectCounts;
using report::MemoryText;
using report::Report;

// The texts have a contrast of at least 4.5 against their backgrounds, and bars of 3.
constexpr std::string_view kStyle = R"css(
:root{color-scheme:light dark;--text:#1b1f24;--back:#fff;--soft:#57606a;--line:#d0d7de;--band:#f6f8fa;
--denied:#a40e26;--changed:#7a4b00;--bar:#0969da;--over:#a40e26}
@media (prefers-color-scheme:dark){:root{--text:#e6edf3;--back:#0d1117;--soft:#9198a1;--line:#3d444d;
--band:#161b22;--denied:#ff9a94;--changed:#e3b341;--bar:#4493f8;--over:#ff9a94}}
*{box-sizing:border-box}
body{font:16px/1.5 system-ui,sans-serif;color:var(--text);background:var(--back);margin:0 auto;
max-width:76rem;padding:1.5rem}
h1{font-size:1.6rem;margin:0 0 .25rem}h2{font-size:1.2rem;margin:2.25rem 0 .5rem}
p{margin:.4rem 0;max-width:60rem}.soft{color:var(--soft)}
.numbers{display:flex;flex-wrap:wrap;gap:1rem;margin:1rem 0;padding:0;list-style:none}
.numbers li{border:1px solid var(--line);border-radius:.5rem;padding:.6rem 1rem;min-width:9rem}
.numbers b{display:block;font-size:1.5rem;line-height:1.2}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.9rem}
caption{text-align:left;color:var(--soft);padding:.25rem 0}
th,td{padding:.3rem .6rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
thead th{background:var(--band)}
tbody th{font-weight:600}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.denied{color:var(--denied);font-weight:600}.changed{color:var(--changed);font-weight:600}
.bar{display:block;height:.4rem;min-width:6rem;background:var(--line);border-radius:.2rem;margin-top:.2rem}
.bar i{display:block;height:100%;background:var(--bar);border-radius:.2rem}
.bar .over{background:var(--over)}
code,.says{font-family:ui-monospace,monospace;font-size:.85rem;overflow-wrap:anywhere}
ul.plain{margin:.3rem 0;padding-left:1.2rem}
@media print{body{padding:0;max-width:none;font-size:12px}.scroll{overflow:visible}
h2{break-after:avoid}tr{break-inside:avoid}}
)css";

std::string HtmlEscaped(std::string_view text) {
  std::string html;
  for (const char c : text) {
    switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      case '\'':
        html += "&#39;";
        break;
      default:
        html += c;
    }
  }
  return html;
}

std::string Number(std::size_t count) {
  return report::CountText(static_cast<std::int64_t>(count));
}

// A cell of a table. Its text is escaped, its mark-up is not.
struct HtmlCell {
  std::string text;
  // Attributes of the element, with a blank before each.
  std::string attributes = {};
  // What stands behind the text.
  std::string mark_up = {};
};

HtmlCell Text(std::string text) { return {.text = std::move(text)}; }
HtmlCell Numeric(std::string text, std::string_view look = "") {
  return {.text = std::move(text), .attributes = fmt::format(" class=\"n {}\"", look)};
}
HtmlCell Says(std::string text) {
  return {.text = std::move(text), .attributes = " class=\"says\""};
}

// A number that is highlighted unless it is zero.
HtmlCell Highlighted(std::size_t count, std::string_view look) {
  return Numeric(Number(count), count > 0 ? look : "");
}

class Table {
 public:
  Table(std::string_view caption, const std::vector<HtmlCell>& heads) {
    html_ =
        "<div class=\"scroll\"><table><caption>" + HtmlEscaped(caption) + "</caption><thead><tr>";
    for (const HtmlCell& head : heads) {
      html_ += "<th scope=\"col\"" + head.attributes + ">" + HtmlEscaped(head.text) + "</th>";
    }
    html_ += "</tr></thead><tbody>\n";
  }

  // The first cell is the row's head.
  void Add(const std::vector<HtmlCell>& cells) {
    html_ += "<tr>";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string element = i == 0 ? "th" : "td";
      html_ += "<" + element + (i == 0 ? " scope=\"row\"" : "") + cells[i].attributes + ">" +
               HtmlEscaped(cells[i].text) + cells[i].mark_up + "</" + element + ">";
    }
    html_ += "</tr>\n";
  }

  std::string Html() const { return html_ + "</tbody></table></div>\n"; }

 private:
  std::string html_;
};

std::string Title(std::string_view title) { return "<h2>" + HtmlEscaped(title) + "</h2>\n"; }
std::string Paragraph(std::string_view text) { return "<p>" + HtmlEscaped(text) + "</p>\n"; }

std::string BulletsOf(const std::vector<std::string>& items) {
  std::string html = "<ul class=\"plain\">";
  for (const std::string& item : items) html += "<li>" + HtmlEscaped(item) + "</li>";
  return html + "</ul>\n";
}

std::string Tile(std::size_t count, std::string_view what, std::string_view look = "") {
  return fmt::format("<li><b class=\"{}\">{}</b>{}</li>", count > 0 ? look : "", Number(count),
                     HtmlEscaped(what));
}

std::string HeadHtml(const Report& report) {
  const report::ObjectCounts& objects = report.objects;
  std::size_t refused = 0;
  std::size_t moved = 0;
  for (const auto& each : report.refused) refused += each.pods;
  for (const auto& each : report.moved) moved += each.pods;
  std::string html = "<h1>What Berth would change</h1>\n";
  html += fmt::format(
      "<p class=\"soft\">{}, {}, {} with templates of pods, on {}. As of {}; {} of them have "
      "ended.</p>\n",
      CountOf(objects.pods.Sum(), "pod"), CountOf(objects.jobs.Sum(), "Job"),
      CountOf(objects.templates.Sum(), "object"), CountOf(report.nodes, "node"),
      FormatTime(report.time), Number(report.ended));
  html += Paragraph(
      "Nothing that runs is touched. This page tells what would become of each object if it were "
      "created again in a namespace that enforces.");
  html += "<ul class=\"numbers\">";
  html += Tile(objects.pods[Effect::kDenied], "pods would be denied", "denied");
  html += Tile(objects.pods[Effect::kChanged], "pods would be changed", "changed");
  html += Tile(objects.jobs[Effect::kDenied], "Jobs would be denied", "denied");
  html += Tile(objects.jobs[Effect::kChanged], "Jobs would be changed", "changed");
  html += Tile(refused, "pods run on nodes that Berth would refuse");
  html += Tile(moved, "CPU pods run on nodes with accelerators");
  html += "</ul>\n";
  return report.notes.empty() ? html : html + BulletsOf(report.notes);
}

std::string DeniedBy(const report::NamespaceReport& report) {
  std::vector<std::string> parts;
  for (const auto& [policy, count] : report.denied_by) {
    parts.push_back(policy + " " + Number(count));
  }
  return absl::StrJoin(parts, ", ");
}

void AddRow(const report::NamespaceReport& each, std::string_view kind, const EffectCounts& counts,
            bool first, Table& table) {
  if (counts.Sum() == 0) return;
  const bool pods = kind == "pods";
  table.Add({Text(each.name), Text(first ? AdmissionText(each) : ""), Text(std::string(kind)),
             Numeric(Number(counts.Sum())), Highlighted(counts[Effect::kDenied], "denied"),
             Highlighted(counts[Effect::kChanged], "changed"),
             Numeric(Number(counts[Effect::kWarned])), Numeric(Number(counts[Effect::kUnchanged])),
             Numeric(Number(counts[Effect::kLeftAlone])), Numeric(pods ? Number(each.refused) : ""),
             Numeric(pods ? Number(each.moved) : ""), Text(first ? DeniedBy(each) : "")});
}

std::string NamespacesHtml(const Report& report) {
  const auto head = [](const char* text) { return Numeric(text); };
  Table table("A namespace labelled off, and one that is excluded by name, is left alone.",
              {Text("Namespace"), Text("Admission"), Text("Objects"), head("All"), head("Denied"),
               head("Changed"), head("Warned"), head("Unchanged"), head("Left alone"),
               head("Refused"), head("Moved"), Text("Denied by")});
  for (const report::NamespaceReport& each : report.by_namespace) {
    AddRow(each, "pods", each.objects.pods, true, table);
    AddRow(each, "Jobs", each.objects.jobs, each.objects.pods.Sum() == 0, table);
    AddRow(each, "templates", each.objects.templates,
           each.objects.pods.Sum() + each.objects.jobs.Sum() == 0, table);
  }
  return Title("By namespace") + table.Html();
}

std::string FindingsHtml(const Report& report) {
  if (report.findings.empty()) return Title("Most frequent findings") + Paragraph("None.");
  Table table(
      fmt::format("{} of {} different findings", report.findings.size(), report.different_findings),
      {Text("Policy"), Text("Effect"), Text("What it says of the first of them"), Text("Write"),
       Text("How many"), Text("Such as")});
  for (const report::FindingReport& finding : report.findings) {
    HtmlCell effect = Text(std::string(EffectText(finding.effect)));
    if (finding.effect == Effect::kDenied) effect.attributes = " class=\"denied\"";
    if (finding.effect == Effect::kChanged) effect.attributes = " class=\"changed\"";
    table.Add({Text(finding.policy), std::move(effect), Says(finding.says), Says(finding.write),
               Text(CountedObjects(finding)), Text(absl::StrJoin(finding.examples, "; "))});
  }
  return Title("Most frequent findings") + table.Html();
}

// A bar as wide as its part of the whole, which may exceed it.
std::string Bar(std::int64_t part, std::int64_t whole) {
  if (whole <= 0) return "";
  const double percent = 100 * static_cast<double>(part) / static_cast<double>(whole);
  return fmt::format(
      "<span class=\"bar\" aria-hidden=\"true\"><i class=\"{}\" "
      "style=\"width:{:.0f}%\"></i></span>",
      percent > 100 ? "over" : "", std::clamp(percent, 0.0, 100.0));
}

HtmlCell Part(std::string text, std::int64_t part, std::int64_t whole) {
  HtmlCell cell = Numeric(std::move(text));
  cell.mark_up = Bar(part, whole);
  return cell;
}

std::string PoolsHtml(const Report& report) {
  if (report.pools.empty() && report.waiting == 0) return "";
  const auto head = [](const char* text) { return Numeric(text); };
  Table table(
      "What nodes have, what their pods request now, and what they would if all were created again "
      "and went where Berth lets them",
      {Text("Accelerator"), head("Nodes"), head("Cores"), head("Now"), head("Then"), head("Memory"),
       head("Now"), head("Then"), head("Too full now"), head("Then"), Text("Such as")});
  for (const report::PoolReport& pool : report.pools) {
    const Compute& there = pool.allocatable;
    table.Add({Text(PoolText(pool.accelerator)), Numeric(Number(pool.nodes)),
               Numeric(CoresText(there.cpu)),
               Part(CoresText(pool.now.cpu), pool.now.cpu, there.cpu),
               Part(CoresText(pool.then.cpu), pool.then.cpu, there.cpu),
               Numeric(MemoryText(there.memory)),
               Part(MemoryText(pool.now.memory), pool.now.memory, there.memory),
               Part(MemoryText(pool.then.memory), pool.then.memory, there.memory),
               Numeric(Number(pool.crowded_now)), Highlighted(pool.crowded_then, "denied"),
               Text(absl::StrJoin(pool.examples, "; "))});
  }
  if (report.waiting > 0) {
    table.Add({Text(CountOf(report.waiting, "waiting pod")), Text(""), Text(""),
               Numeric(CoresText(report.waiting_now.cpu)),
               Numeric(CoresText(report.waiting_then.cpu)), Text(""),
               Numeric(MemoryText(report.waiting_now.memory)),
               Numeric(MemoryText(report.waiting_then.memory)), Text(""), Text(""), Text("")});
  }
  return Title("CPU and memory") + table.Html();
}

std::string MisplacedHtml(const Report& report) {
  const std::string title = Title("Pods that Berth would not put where they run");
  const std::string stay = Paragraph("They stay where they are until they end.");
  if (report.refused.empty() && report.moved.empty()) return title + Paragraph("None.");
  Table table("", {Text("Why"), Numeric("Pods"), Text("Such as")});
  for (const report::RefusedReport& refused : report.refused) {
    table.Add({Text("refused: " + refused.reason), Numeric(Number(refused.pods)),
               Text(absl::StrJoin(refused.examples, "; "))});
  }
  for (const report::MovedReport& moved : report.moved) {
    table.Add({Text(fmt::format("moved: they ask for no accelerator, on {} with {}, and request {}",
                                CountOf(moved.nodes, "node"), moved.accelerator,
                                report::ComputeText(moved.now))),
               Numeric(Number(moved.pods)), Text(absl::StrJoin(moved.examples, "; "))});
  }
  return title + stay + table.Html();
}

std::string ExcludedHtml(const Report& report) {
  std::string html = Title("Nodes that conditions exclude now");
  if (report.excluded.empty()) {
    html += Paragraph("None.");
  } else {
    Table table("", {Text("Condition"), Text("Accelerator"), Numeric("Nodes"), Numeric("Devices"),
                     Text("For"), Text("Such as")});
    for (const report::ExcludedReport& each : report.excluded) {
      table.Add({Text(each.condition), Text(PoolText(each.accelerator)),
                 Numeric(Number(each.nodes)), Numeric(report::CountText(each.devices)),
                 Text(each.resources.empty() ? "all pods" : absl::StrJoin(each.resources, ", ")),
                 Text(absl::StrJoin(each.examples, ", "))});
    }
    html += table.Html();
  }
  if (report.silent_conditions.empty()) return html;
  return html + Paragraph("No node publishes " + absl::StrJoin(report.silent_conditions, ", ") +
                          ": `berth doctor --only conditions` says what to do.");
}

std::string UnreadHtml(const Report& report) {
  std::string html;
  if (report.unreadable.count > 0) {
    html += Paragraph(CountOf(report.unreadable.count, "object") +
                      " could not be read; the first of them:") +
            BulletsOf(report.unreadable.examples);
  }
  std::vector<std::string> others;
  for (const report::OtherKindReport& other : report.other_kinds) {
    if (!other.why.empty()) others.push_back(CountOf(other.count, "object") + ": " + other.why);
  }
  if (!others.empty()) html += Paragraph("Not foretold:") + BulletsOf(others);
  return html.empty() ? "" : Title("Not in the report") + html;
}

}  // namespace

std::string ReportHtml(const Report& report) {
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>What Berth would change</title>\n<style>";
  html += kStyle;
  html += "</style></head>\n<body><main>\n";
  html += HeadHtml(report) + NamespacesHtml(report) + FindingsHtml(report) + PoolsHtml(report) +
          MisplacedHtml(report) + ExcludedHtml(report) + UnreadHtml(report);
  return html + "</main></body></html>\n";
}

}  // namespace berth::cli
