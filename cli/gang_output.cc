#include "cli/gang_output.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "cli/age.h"
#include "cli/text_table.h"

namespace berth::cli {

namespace {

using GangDocument = nlohmann::ordered_json;

constexpr std::pair<MemberState, std::string_view> kMemberStates[] = {
    {MemberState::kGated, "gated"},       {MemberState::kHeldBack, "held back"},
    {MemberState::kReserved, "reserved"}, {MemberState::kReleased, "released"},
    {MemberState::kOpen, "open"},         {MemberState::kBound, "bound"},
    {MemberState::kEnding, "ending"},     {MemberState::kSucceeded, "succeeded"}};

std::string_view WordFor(MemberState state) {
  for (const auto& [each, word] : kMemberStates) {
    if (each == state) return word;
  }
  return "";
}

std::string CountsIn(const GangReport& report) {
  std::string counts;
  for (const auto& [state, word] : kMemberStates) {
    const std::int64_t count = report.Count(state);
    if (count > 0) counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, word);
  }
  const auto there =
      static_cast<std::int64_t>(report.members.size()) - report.Count(MemberState::kEnding);
  return fmt::format("{} of {} pods are there: {}", there, report.size, counts);
}

GangDocument OrNull(const std::string& text) {
  return text.empty() ? GangDocument() : GangDocument(text);
}

std::string StateInWords(const GangMember& member) {
  if (member.state != MemberState::kHeldBack) return std::string(WordFor(member.state));
  return fmt::format("held back by {}", fmt::join(member.gates, ", "));
}

Tone ToneOf(MemberState state) {
  switch (state) {
    case MemberState::kBound:
    case MemberState::kSucceeded:
      return Tone::kGood;
    case MemberState::kGated:
    case MemberState::kHeldBack:
    case MemberState::kReserved:
    case MemberState::kReleased:
    case MemberState::kOpen:
      return Tone::kWaiting;
    case MemberState::kEnding:
      break;
  }
  return Tone::kPlain;
}

Tone ToneOf(const GangReport& report) {
  return report.state == "bound" ? Tone::kGood : Tone::kWaiting;
}

// How far the pods of a gang are, in three numbers.
struct GangCounts {
  std::int64_t bound = 0;
  std::int64_t reserved = 0;
  std::int64_t waiting = 0;
};

GangCounts CountedIn(const GangReport& report) {
  GangCounts counts;
  for (const GangMember& member : report.members) {
    const bool is_bound =
        member.state == MemberState::kBound || member.state == MemberState::kSucceeded;
    if (member.state == MemberState::kEnding) continue;
    if (is_bound) {
      ++counts.bound;
    } else {
      ++(member.node.empty() ? counts.waiting : counts.reserved);
    }
  }
  return counts;
}

GangDocument DocumentOf(const GangReport& report) {
  GangDocument pods = GangDocument::array();
  for (const GangMember& member : report.members) {
    GangDocument pod = {{"name", member.pod}, {"state", WordFor(member.state)}};
    pod["node"] = OrNull(member.node);
    pod["gates"] = member.gates;
    pods.push_back(std::move(pod));
  }
  GangDocument json = {{"namespace", report.namespace_name},
                       {"gang", OrNull(report.name)},
                       {"size", report.size},
                       {"state", report.state}};
  json["reason"] = OrNull(report.reason);
  json["created"] = OrNull(report.created == model::kNoTime ? "" : FormatTime(report.created));
  json["topology"] = OrNull(report.topology);
  json["pods"] = std::move(pods);
  return json;
}

std::string TextOf(const GangDocument& json) {
  return json.dump(2, ' ', false, GangDocument::error_handler_t::replace) + '\n';
}

// "topology.kubernetes.io/rack: r1, r2".
std::string DomainsOf(const GangReport& report) {
  if (report.topology.empty()) return "-";
  if (report.domains.empty()) return report.topology;
  return fmt::format("{}: {}", report.topology, fmt::join(report.domains, ", "));
}

Row GangRow(const GangReport& report, model::Time now, bool wide) {
  const GangCounts counts = CountedIn(report);
  const std::vector<std::string> nodes = report.Nodes();
  Row row = {report.namespace_name,
             OrDash(report.name),
             fmt::format("{}", report.size),
             {report.state, ToneOf(report)},
             fmt::format("{}", counts.bound),
             fmt::format("{}", counts.reserved),
             fmt::format("{}", counts.waiting),
             report.created == model::kNoTime ? "-" : FormatAge(report.created, now)};
  if (wide) {
    row.emplace_back(nodes.empty() ? "-" : fmt::format("{}", fmt::join(nodes, ",")));
    row.emplace_back(DomainsOf(report));
  } else {
    row.emplace_back(fmt::format("{}", nodes.size()));
  }
  row.emplace_back(report.reason);
  return row;
}

}  // namespace

std::string GangText(const GangReport& report, const TableStyle& style) {
  std::string text =
      fmt::format("gang {}/{} of {}: {}\n{}\n", report.namespace_name, report.name, report.size,
                  Painted(report.state, ToneOf(report), style.terminal), CountsIn(report));
  if (!report.reason.empty()) text += fmt::format("why: {}\n", Printable(report.reason));
  const std::int64_t open = report.Count(MemberState::kOpen);
  if (open > 0 && report.state != "released") {
    text += fmt::format(
        "without the gate: {} of them; kube-scheduler may bind these before the others\n", open);
  }
  std::vector<Row> rows = {{"POD", "STATE", "NODE"}};
  for (const GangMember& member : report.members) {
    rows.push_back({member.pod, {StateInWords(member), ToneOf(member.state)}, member.node});
  }
  return text + '\n' + FormatTable(rows, style.terminal);
}

std::string GangProgress(const GangReport& report) {
  const GangCounts counts = CountedIn(report);
  return fmt::format("{}: {} of {} bound, {} reserved, {} waiting", report.state, counts.bound,
                     report.size, counts.reserved, counts.waiting);
}

std::string GangJson(const GangReport& report) { return TextOf(DocumentOf(report)); }

std::string GangsTable(const std::vector<GangReport>& reports, model::Time now,
                       const TableStyle& style) {
  std::vector<Row> rows = {
      {"NAMESPACE", "GANG", "SIZE", "STATE", "BOUND", "RESERVED", "WAITING", "AGE", "NODES"}};
  if (style.wide) rows.front().emplace_back("DOMAINS");
  rows.front().emplace_back("WHY");
  for (const GangReport& report : reports) rows.push_back(GangRow(report, now, style.wide));
  return FormatTable(rows, style.terminal);
}

std::string GangsJson(const std::vector<GangReport>& reports) {
  GangDocument gangs = GangDocument::array();
  for (const GangReport& report : reports) {
    const GangCounts counts = CountedIn(report);
    GangDocument gang = DocumentOf(report);
    gang["bound"] = counts.bound;
    gang["reserved"] = counts.reserved;
    gang["waiting"] = counts.waiting;
    gang["nodes"] = report.Nodes();
    gang["domains"] = report.domains;
    gangs.push_back(std::move(gang));
  }
  return TextOf({{"gangs", std::move(gangs)}});
}

}  // namespace berth::cli
