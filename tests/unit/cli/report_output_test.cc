#include "cli/report_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <re2/re2.h>

#include <nlohmann/json.hpp>
#include <string>

namespace berth::cli {
namespace {

using report::Effect;
using report::Report;
using testing::HasSubstr;
using testing::Not;

// A text that breaks out of an element, of an attribute and of a script.
constexpr const char* kHostile = R"(x"'><script>alert(1)</script><img src=//evil.example>&)";

/// Everything that a report may have, with the same hostile text everywhere.
Report HostileReport() {
  Report report;
  report.nodes = 1;
  report.notes = {kHostile};
  report.unreadable = {.count = 1, .examples = {kHostile}};
  report.other_kinds = {{.kind = kHostile, .count = 2, .why = kHostile}};
  report.objects.pods[Effect::kDenied] = 1;
  report.by_namespace = {{.name = kHostile, .label = kHostile, .objects = report.objects}};
  report.findings = {{.policy = "isolation",
                      .effect = Effect::kDenied,
                      .says = kHostile,
                      .write = kHostile,
                      .workloads = 1,
                      .pods = 1,
                      .examples = {kHostile}}};
  report.pools = {{.accelerator = kHostile,
                   .nodes = 1,
                   .allocatable = {.cpu = 1000, .memory = 1000},
                   .now = {.cpu = 500, .memory = 500},
                   .then = {.cpu = 5000, .memory = 5000},
                   .crowded_then = 1,
                   .examples = {kHostile}}};
  report.refused = {{.reason = kHostile, .summary = kHostile, .pods = 1, .examples = {kHostile}}};
  report.moved = {{.accelerator = kHostile, .pods = 1, .nodes = 1, .examples = {kHostile}}};
  report.excluded = {{.condition = kHostile,
                      .accelerator = kHostile,
                      .resources = {kHostile},
                      .nodes = 1,
                      .devices = 8,
                      .examples = {kHostile}}};
  report.silent_conditions = {kHostile};
  report.all = {{.namespace_name = kHostile, .kind = kHostile, .name = kHostile}};
  return report;
}

std::size_t CountIn(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(ReportHtml, EscapesEveryText) {
  const std::string html = ReportHtml(HostileReport());
  EXPECT_GT(CountIn(html, "&lt;script&gt;"), 12U);
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, Not(HasSubstr("<img")));
  // Whatever an element or its attributes are, the page itself wrote them.
  static const re2::RE2 element(
      R"re(<!DOCTYPE html>|</?(?:html|head|body|main|style|title|h[12]|p|ul|li|b|div|table|caption|thead|tbody|tr|th|td|span|i|meta)(?: (?:lang|charset|http-equiv|content|name|class|scope|style|aria-hidden)="[^"<>]*")*>)re");
  std::string rest = html;
  re2::RE2::GlobalReplace(&rest, element, "");
  EXPECT_THAT(rest, Not(HasSubstr("<"))) << rest.substr(rest.find('<'), 200);
}

TEST(ReportHtml, TellsHowManyObjectsHaveEnded) {
  Report report = HostileReport();
  report.ended = 1234;
  EXPECT_THAT(ReportHtml(report), HasSubstr("; 1,234 of them have ended."));
}

TEST(ReportHtml, LoadsNothing) {
  const std::string html = ReportHtml(HostileReport());
  for (const char* what : {"src=\"", "href=", "url(", "@import", "<link", "<script", "http://"}) {
    EXPECT_THAT(html, Not(HasSubstr(what)));
  }
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
}

TEST(ReportHtml, CanBeReadByAnybody) {
  const std::string html = ReportHtml(HostileReport());
  EXPECT_THAT(html, HasSubstr("<html lang=\"en\">"));
  EXPECT_THAT(html, HasSubstr("prefers-color-scheme:dark"));
  EXPECT_THAT(html, HasSubstr("@media print"));
  EXPECT_EQ(CountIn(html, "<th "), CountIn(html, "<th scope=\""));
  EXPECT_EQ(CountIn(html, "<th>"), 0U);
  EXPECT_EQ(CountIn(html, "<table>"), CountIn(html, "<caption>"));
}

TEST(ReportHtml, EveryRowHasAsManyCellsAsItsTable) {
  const std::string html = ReportHtml(HostileReport());
  static const re2::RE2 table(R"((?s)<table>(.*?)</table>)");
  static const re2::RE2 row(R"((?s)<tr>(.*?)</tr>)");
  re2::StringPiece rest(html);
  std::string inside;
  int tables = 0;
  while (re2::RE2::FindAndConsume(&rest, table, &inside)) {
    ++tables;
    std::size_t columns = 0;
    re2::StringPiece rows(inside);
    std::string cells;
    while (re2::RE2::FindAndConsume(&rows, row, &cells)) {
      const std::size_t count = CountIn(cells, "<th ") + CountIn(cells, "<td");
      if (columns == 0) columns = count;
      EXPECT_EQ(count, columns) << cells;
    }
  }
  EXPECT_EQ(tables, 5);
}

TEST(ReportJson, HasEverythingUnderItsName) {
  const auto json = nlohmann::json::parse(ReportJson(HostileReport()));
  EXPECT_EQ(json["namespaces"][0]["name"], kHostile);
  EXPECT_EQ(json["namespaces"][0]["standing"], "asked");
  EXPECT_EQ(json["objects"]["pods"]["denied"], 1);
  EXPECT_EQ(json["findings"][0]["effect"], "denied");
  EXPECT_EQ(json["findings"][0]["write"], kHostile);
  EXPECT_EQ(json["pools"][0]["then"]["cpuMillis"], 5000);
  EXPECT_EQ(json["pools"][0]["tooFullThen"], 1);
  EXPECT_EQ(json["excludedNodes"][0]["devices"], 8);
  EXPECT_EQ(json["unreadable"]["count"], 1);
}

TEST(ReportObjects, IsALineForEachObject) {
  Report report = HostileReport();
  report.all.push_back({.namespace_name = "t",
                        .kind = "Pod",
                        .name = "p",
                        .effect = Effect::kChanged,
                        .policies = {"isolation"},
                        .node = "gpu-1",
                        .moved = true});
  const std::string lines = ReportObjects(report);
  EXPECT_EQ(CountIn(lines, "\n"), 2U);
  EXPECT_THAT(lines, HasSubstr(R"({"namespace":"t","kind":"Pod","name":"p","effect":"changed",)"
                               R"("policies":["isolation"],"node":"gpu-1","moved":true})"));
}

TEST(ReportText, ShowsTheFirstOfManyNamespaces) {
  Report report;
  for (int i = 0; i < 30; ++i) {
    report.by_namespace.push_back({.name = "team-" + std::to_string(i)});
    report.by_namespace.back().objects.pods[Effect::kChanged] = 1000;
  }
  const std::string text = ReportText(report);
  EXPECT_THAT(text, HasSubstr("team-19 "));
  EXPECT_THAT(text, Not(HasSubstr("team-20")));
  EXPECT_THAT(text, HasSubstr("10 more namespaces"));
  EXPECT_THAT(text, HasSubstr("1,000"));
  EXPECT_THAT(ReportText(report, {.wide = true}), HasSubstr("\nteam-29 "));
}

TEST(ReportText, SaysWhoDeniesInAColumnWhereItIsWide) {
  Report report;
  report.by_namespace = {{.name = "nlp", .denied_by = {{"guaranteed-qos", 3}, {"isolation", 1}}}};
  report.by_namespace[0].objects.pods[Effect::kDenied] = 4;
  report.by_namespace[0].objects.jobs[Effect::kDenied] = 2;
  EXPECT_THAT(ReportText(report),
              HasSubstr("Denied by policy:\nnlp: guaranteed-qos 3, isolation 1\n"));
  const std::string wide = ReportText(report, {.wide = true});
  EXPECT_THAT(wide, HasSubstr("  MOVED  DENIED BY\n"));
  EXPECT_THAT(wide, HasSubstr("  0      guaranteed-qos 3, isolation 1\n"));
  EXPECT_THAT(wide, Not(HasSubstr("Denied by policy")));
}

TEST(ReportText, ColoursWhatIsDenied) {
  Report report = HostileReport();
  EXPECT_THAT(ReportText(report, {.terminal = {.colour = true}}), HasSubstr("\x1b[31m1\x1b[0m"));
  EXPECT_THAT(ReportText(report), Not(HasSubstr("\x1b")));
}

TEST(ReportText, DoesNotMoveTheCursorOfATerminal) {
  Report report = HostileReport();
  const std::string hostile = "a\x1b[2J\nb";
  report.notes = {hostile};
  report.unreadable.examples = {hostile};
  report.other_kinds[0].why = hostile;
  report.by_namespace[0].name = hostile;
  report.by_namespace[0].denied_by = {{"isolation", 1}};
  report.findings[0].says = hostile;
  report.findings[0].examples = {hostile};
  report.pools[0].accelerator = hostile;
  report.pools[0].examples = {hostile};
  report.refused[0].summary = hostile;
  report.moved[0].accelerator = hostile;
  report.excluded[0].condition = hostile;
  report.silent_conditions = {hostile};
  const std::string text = ReportText(report);
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\nb")));
}

TEST(ReportText, FitsATerminal) {
  Report report = HostileReport();
  report.by_namespace = {{.name = "research-vision-team", .objects = report.objects}};
  const std::string text = ReportText(report);
  std::size_t from = text.find("BY NAMESPACE");
  const std::size_t end = text.find("MOST FREQUENT");
  while (from < end) {
    const std::size_t line_end = text.find('\n', from);
    EXPECT_LE(line_end - from, 110U) << text.substr(from, line_end - from);
    from = line_end + 1;
  }
}

}  // namespace
}  // namespace berth::cli
