#include "cli/explanation_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/age.h"
#include "cli/terminal.h"
#include "cli/text_table.h"
#include "placement/placement_messages.h"
#include "policies/scheduling/policy.h"

namespace berth::cli {

namespace {

using placement::TimeOf;
using v1::DeviceCount;
using v1::ExplainResponse;
using v1::NodeExplanation;
using v1::PolicyOpinion;
using v1::RefusedGroup;

constexpr std::string_view kNotJudged =
    "kube-scheduler's own filters (taints, affinity, free cpu, memory and devices) are not judged "
    "here.\n";

// kube-scheduler cuts its event FailedScheduling, which says the same, at so many bytes, but not
// the condition of the pod (truncateMessage in k8s.io/kubernetes/pkg/scheduler/schedule_one.go,
// v1.36.3).
constexpr std::size_t kMostSaid = 1024;

std::string RequestsTextOf(const ExplainResponse& explanation) {
  std::vector<std::string> requests;
  for (const v1::DeviceRequest& request : explanation.requests()) {
    requests.push_back(fmt::format("{} {}", request.devices(), request.resource()));
  }
  return Printable(fmt::format("{}", fmt::join(requests, ", ")));
}

// Summaries are worded for several nodes; this rewords one for a single node.
std::string ForCount(const std::string& summary, std::size_t count) {
  if (count != 1) return summary;
  if (summary.starts_with("are ")) return "is " + summary.substr(4);
  return summary.starts_with("have ") ? "has " + summary.substr(5) : summary;
}

std::string WithSince(const std::string& summary, model::Time since, model::Time now) {
  return since == model::kNoTime ? summary : summary + " " + FormatSince(since, since, now);
}

std::string WithAge(std::string text, model::Time since, model::Time now) {
  return since == model::kNoTime ? std::move(text)
                                 : fmt::format("{} {}", text, FormatAge(since, now));
}

// What a policy holds against a node that fits; empty if nothing. For a policy in Observe only
// refusals count, not scores.
std::string Objection(const PolicyOpinion& opinion, model::Time now) {
  if (!opinion.fits()) {
    return fmt::format("{} would refuse: {}", opinion.policy(),
                       WithSince(ForCount(opinion.summary(), 1), TimeOf(opinion.since()), now));
  }
  const bool content = opinion.score() == policies::scheduling::kMaxScore && !opinion.last();
  if (opinion.observed() || opinion.weight() == 0 || content) return "";
  if (!opinion.summary().empty()) {
    const std::string summary = ForCount(opinion.summary(), 1);
    if (TimeOf(opinion.since()) == model::kNoTime) return summary;
    return fmt::format("{} ({})", summary, FormatAge(TimeOf(opinion.since()), now));
  }
  return fmt::format("{} {}/{}", opinion.policy(), opinion.score(),
                     policies::scheduling::kMaxScore);
}

std::string WhyOf(const NodeExplanation& node, model::Time now) {
  if (!node.fits()) return WithSince(ForCount(node.summary(), 1), TimeOf(node.since()), now);
  std::vector<std::string> objections;
  for (const PolicyOpinion& opinion : node.policies()) {
    std::string objection = Objection(opinion, now);
    if (!objection.empty()) objections.push_back(std::move(objection));
  }
  return fmt::format("{}", fmt::join(objections, "; "));
}

std::string DevicesOf(const NodeExplanation& node) {
  std::vector<std::string> counts;
  for (const DeviceCount& each : node.devices()) {
    counts.push_back(each.listed() ? fmt::format("{}/{}", FreeOf(each), each.capacity()) : "-");
  }
  return fmt::format("{}", fmt::join(counts, ","));
}

std::string_view YesNo(bool yes) { return yes ? "yes" : "no"; }

std::string AgeOrDash(model::Time time, model::Time now) {
  return time == model::kNoTime ? "-" : FormatAge(time, now);
}

// "health 1000, packing 250": what every policy that is enforced gives the node.
std::string ScoresOf(const NodeExplanation& node) {
  std::vector<std::string> scores;
  for (const PolicyOpinion& opinion : node.policies()) {
    if (!opinion.fits() || opinion.observed() || opinion.weight() == 0) continue;
    scores.push_back(fmt::format("{} {}", opinion.policy(), opinion.score()));
  }
  return OrDash(fmt::format("{}", fmt::join(scores, ", ")));
}

bool IsSound(const v1::Condition& condition) {
  return StatusOf(condition) == (condition.type() == "Ready" ? "True" : "False");
}

// "GPUIsLost 5m, Ready=Unknown 3m": the conditions that a sound node does not have, and their ages.
std::string FaultsOf(const NodeExplanation& node, model::Time now) {
  std::vector<std::string> faults;
  for (const v1::Condition& condition : node.conditions()) {
    if (IsSound(condition)) continue;
    const bool is_true = StatusOf(condition) == "True";
    std::string fault = condition.type();
    if (!is_true) fault += fmt::format("={}", StatusOf(condition));
    faults.push_back(WithAge(std::move(fault), TimeOf(condition.last_transition()), now));
  }
  return OrDash(fmt::format("{}", fmt::join(faults, ", ")));
}

// Whether a policy that counts has something to say against a node, not only a lower score.
bool IsPenalised(const NodeExplanation& node) {
  return std::ranges::any_of(node.policies(), [](const PolicyOpinion& opinion) {
    const bool counts = !opinion.observed() && opinion.weight() != 0;
    const bool is_best = opinion.score() == policies::scheduling::kMaxScore && !opinion.last();
    return counts && !is_best && !opinion.summary().empty();
  });
}

Tone ToneOf(const NodeExplanation& node) {
  if (!node.fits()) return Tone::kBad;
  return IsPenalised(node) ? Tone::kWaiting : Tone::kGood;
}

Row NodeRow(const NodeExplanation& node, model::Time now, bool wide) {
  Row row = {node.name(),
             {std::string(YesNo(node.fits())), ToneOf(node)},
             node.fits() ? fmt::format("{}", node.rank()) : "-",
             node.fits() ? fmt::format("{}", node.score()) : "-",
             OrDash(node.accelerator()),
             DevicesOf(node)};
  if (wide) {
    row.emplace_back(AgeOrDash(TimeOf(node.since()), now));
    row.emplace_back(ScoresOf(node));
    row.emplace_back(FaultsOf(node, now));
  }
  row.emplace_back(WhyOf(node, now));
  return row;
}

std::string NodeTable(const ExplainResponse& explanation, const TableStyle& style) {
  std::vector<Row> rows = {{"NODE", "FITS", "RANK", "SCORE", "ACCELERATOR", "FREE/TOTAL"}};
  if (style.wide) {
    for (const char* column : {"SINCE", "SCORES", "CONDITIONS"}) rows.front().emplace_back(column);
  }
  rows.front().emplace_back("WHY");
  for (const NodeExplanation& node : explanation.nodes()) {
    rows.push_back(NodeRow(node, TimeOf(explanation.time()), style.wide));
  }
  return FormatTable(rows, style.terminal);
}

Tone ToneOf(const PolicyOpinion& opinion) {
  if (opinion.fits()) return Tone::kGood;
  return opinion.observed() ? Tone::kWaiting : Tone::kBad;
}

std::string PolicyTable(const NodeExplanation& node, model::Time now, const Terminal& terminal) {
  std::vector<Row> rows = {{"POLICY", "MODE", "FITS", "SCORE", "WEIGHT", "SINCE", "REASON"}};
  for (const PolicyOpinion& opinion : node.policies()) {
    rows.push_back({opinion.policy(),
                    std::string(ModeOf(opinion)),
                    {std::string(YesNo(opinion.fits())), ToneOf(opinion)},
                    opinion.fits() ? fmt::format("{}", opinion.score()) : "-",
                    fmt::format("{}", opinion.weight()),
                    AgeOrDash(TimeOf(opinion.since()), now),
                    OrDash(opinion.reason())});
  }
  return FormatTable(rows, terminal);
}

std::string ConditionTable(const NodeExplanation& node, model::Time now, const Terminal& terminal) {
  std::vector<Row> rows = {{"CONDITION", "STATUS", "SINCE", "HEARD"}};
  for (const v1::Condition& condition : node.conditions()) {
    rows.push_back(
        {condition.type(),
         {std::string(StatusOf(condition)), IsSound(condition) ? Tone::kPlain : Tone::kWaiting},
         AgeOrDash(TimeOf(condition.last_transition()), now),
         AgeOrDash(TimeOf(condition.last_heartbeat()), now)});
  }
  return FormatTable(rows, terminal);
}

std::string DeviceLines(const NodeExplanation& node) {
  std::string text;
  for (const DeviceCount& each : node.devices()) {
    const std::string resource = Printable(each.resource());
    text += each.listed()
                ? fmt::format("{}: {} requested; {} free of {}, {} allocatable, {} used\n",
                              resource, each.requested(), FreeOf(each), each.capacity(),
                              each.allocatable(), each.used())
                : fmt::format("{}: {} requested; the node does not list it\n", resource,
                              each.requested());
  }
  return text;
}

std::string VerdictOf(const NodeExplanation& node, model::Time now, const Terminal& terminal) {
  if (node.fits()) {
    return fmt::format("{}, rank {}, score {}", Painted("fits", Tone::kGood, terminal), node.rank(),
                       node.score());
  }
  return Painted("does not fit", Tone::kBad, terminal) + ": " +
         WithSince(Printable(node.reason()), TimeOf(node.since()), now);
}

// The first words of the summary say whether there is hope.
std::string PaintedSummary(const ExplainResponse& explanation, const Terminal& terminal) {
  const std::string summary = Printable(SummaryOf(explanation));
  const std::size_t end = summary.find(';');
  const Tone tone = explanation.fitting() > 0 ? Tone::kGood : Tone::kBad;
  const std::string rest = end == std::string::npos ? "" : summary.substr(end);
  return Painted(summary.substr(0, end), tone, terminal) + rest;
}

// The first lines: what the pod asks for, and how many nodes there are for it.
std::string VerdictOnAll(const ExplainResponse& explanation, const std::string& what,
                         const Terminal& terminal) {
  if (explanation.requests().empty()) {
    return fmt::format(
        "{} asks for no accelerator of the catalogue, so the extender does not judge nodes for "
        "it.\n",
        Printable(what));
  }
  return fmt::format("{} asks for {}\n{}\n", Printable(what), RequestsTextOf(explanation),
                     PaintedSummary(explanation, terminal));
}

}  // namespace

std::string_view ModeOf(const PolicyOpinion& opinion) {
  return opinion.observed() ? "Observe" : "Enforce";
}

std::string_view StatusOf(const v1::Condition& condition) {
  if (condition.status() == v1::Condition::STATUS_TRUE) return "True";
  return condition.status() == v1::Condition::STATUS_FALSE ? "False" : "Unknown";
}

std::int64_t FreeOf(const DeviceCount& devices) { return devices.allocatable() - devices.used(); }

std::string SummaryOf(const ExplainResponse& explanation) {
  std::string text = fmt::format("{} fit", explanation.fitting());
  for (const RefusedGroup& group : explanation.refused()) {
    text += fmt::format("; {} {}", group.nodes(), ForCount(group.summary(), group.nodes()));
    if (TimeOf(group.oldest()) == model::kNoTime) continue;
    text += " " +
            FormatSince(TimeOf(group.newest()), TimeOf(group.oldest()), TimeOf(explanation.time()));
  }
  return text;
}

std::string ExplanationHead(const ExplainResponse& explanation, const std::string& what,
                            const Terminal& terminal, const std::string& unschedulable) {
  std::string text = VerdictOnAll(explanation, what, terminal);
  if (!unschedulable.empty()) {
    text += fmt::format("kube-scheduler says: {}\n", CutTo(Printable(unschedulable), kMostSaid));
  }
  // Hints and reasons quote annotations, into which anybody may write anything.
  for (const std::string& hint : explanation.hints()) text += "- " + Printable(hint) + "\n";
  if (!explanation.not_shortlisted().empty()) {
    text += fmt::format("- not shortlisted: {}\n", Printable(explanation.not_shortlisted()));
  }
  return text;
}

std::string ExplanationText(const ExplainResponse& explanation, const std::string& what,
                            const TableStyle& style, const std::string& unschedulable) {
  const std::string head = ExplanationHead(explanation, what, style.terminal, unschedulable);
  // The table would repeat the same sentence for every node.
  if (explanation.requests().empty() || explanation.refused_everywhere()) return head;
  return fmt::format("{}\n{}\n{}", head, NodeTable(explanation, style), kNotJudged);
}

std::string NodeText(const NodeExplanation& node, const ExplainResponse& explanation,
                     const std::string& what, const TableStyle& style) {
  const model::Time now = TimeOf(explanation.time());
  return fmt::format("{} on node {}: {}\naccelerator: {}\n{}\n{}\n{}\n{}", Printable(what),
                     node.name(), VerdictOf(node, now, style.terminal),
                     node.accelerator().empty() ? "none of the catalogue" : node.accelerator(),
                     DeviceLines(node), PolicyTable(node, now, style.terminal),
                     ConditionTable(node, now, style.terminal), kNotJudged);
}

}  // namespace berth::cli
