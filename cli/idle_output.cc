#include "cli/idle_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/age.h"
#include "cli/text_table.h"
#include "model/duration.h"
#include "model/saturating.h"

namespace berth::cli {

namespace {

using usage::Use;
using Json = nlohmann::ordered_json;
using Lines = std::vector<const IdleLine*>;

// Of pods that were not judged.
constexpr std::size_t kMostNotJudged = 10;

bool HasIdle(const IdleLine& line) { return line.use.idle_devices > 0; }

std::string CreatorOf(const IdleLine& line) {
  const std::string& creator = line.use.holding.creator;
  return creator.empty() ? std::string(usage::kUnknownCreator) : creator;
}

std::string PodName(const IdleLine& line) {
  return line.use.holding.namespace_name + '/' + line.use.holding.pod;
}

std::string Accelerator(const IdleLine& line) {
  const usage::Holding& holding = line.use.holding;
  return holding.accelerator.empty() ? holding.resource : holding.accelerator;
}

std::string Peak(const IdleLine& line) {
  return line.use.peak ? fmt::format("{:.0f} %", *line.use.peak) : "-";
}

// For how long no device of the pod was used, as far as that is known. A dash for a pod that uses
// some.
std::string Unused(const IdleLine& line, const IdleFindings& findings) {
  if (line.use.use != Use::kIdle) return "-";
  if (!findings.looked_back) return "";
  if (line.last_used != model::kNoTime) return FormatAge(line.last_used, findings.time);
  const model::Time looked_from = findings.time - *findings.looked_back;
  if (line.use.holding.created > looked_from) {
    return FormatAge(line.use.holding.created, findings.time);
  }
  return ">" + FormatAge(looked_from, findings.time);
}

Lines WithIdle(const IdleFindings& findings) {
  Lines lines;
  for (const IdleLine& line : findings.lines) {
    if (HasIdle(line)) lines.push_back(&line);
  }
  std::ranges::stable_sort(lines, [](const IdleLine* a, const IdleLine* b) {
    if (a->use.idle_devices != b->use.idle_devices) {
      return a->use.idle_devices > b->use.idle_devices;
    }
    return a->use.holding.created < b->use.holding.created;
  });
  return lines;
}

std::string CountOf(std::size_t number, const std::string& name) {
  return fmt::format("{} {}{}", number, name, number == 1 ? "" : "s");
}

// "no data: 2 pods with 4 devices: nlp/bert, vision/cnn", or nothing.
std::string NotJudged(const IdleFindings& findings, Use use, const std::string& why,
                      std::size_t most_pods) {
  std::set<std::string> pods;
  std::int64_t devices = 0;
  for (const IdleLine& line : findings.lines) {
    if (line.use.use != use) continue;
    pods.insert(PodName(line));
    devices = model::SaturatingAdd(devices, line.use.holding.devices);
  }
  if (pods.empty()) return "";
  std::vector<std::string> names(pods.begin(), pods.end());
  names.resize(std::min(names.size(), most_pods));
  return fmt::format("{}: {} with {}: {}{}\n", why, CountOf(pods.size(), "pod"),
                     CountOf(static_cast<std::size_t>(devices), "device"), fmt::join(names, ", "),
                     pods.size() > most_pods ? ", ..." : "");
}

const char* NameOf(Use use) {
  switch (use) {
    case Use::kIdle:
      return "idle";
    case Use::kPartlyIdle:
      return "partlyIdle";
    case Use::kUsed:
      return "used";
    case Use::kYoung:
      return "young";
    case Use::kNoData:
      return "noData";
  }
  return "";
}

Json JsonOf(const IdleLine& line) {
  const usage::Holding& holding = line.use.holding;
  Json json = {{"namespace", holding.namespace_name}, {"pod", holding.pod},
               {"creator", holding.creator},          {"node", holding.node},
               {"accelerator", holding.accelerator},  {"resource", holding.resource},
               {"devices", holding.devices},          {"use", NameOf(line.use.use)},
               {"idleDevices", line.use.idle_devices}};
  if (line.use.peak) json["peakPercent"] = *line.use.peak;
  if (holding.created != model::kNoTime) json["created"] = FormatTime(holding.created);
  if (line.last_used != model::kNoTime) json["lastUsed"] = FormatTime(line.last_used);
  if (!HasIdle(line)) return json;
  json["ownerKind"] = line.workload.kind;
  json["ownerName"] = line.workload.name;
  json["notebook"] = line.workload.notebook;
  return json;
}

std::int64_t SumOfIdle(const Lines& lines) {
  std::int64_t sum = 0;
  for (const IdleLine* line : lines) sum += line->use.idle_devices;
  return sum;
}

std::string ReportTo(const std::string& creator, const Lines& lines, const IdleFindings& findings) {
  std::vector<Row> rows = {{"  IDLE", "OF", "ACCELERATOR", "POD", "WORKLOAD", "PEAK", "UNUSED"}};
  for (const IdleLine* line : lines) {
    rows.push_back({fmt::format("  {}", line->use.idle_devices),
                    fmt::format("{}", line->use.holding.devices), Accelerator(*line),
                    PodName(*line), ToString(line->workload), Peak(*line),
                    Unused(*line, findings)});
  }
  return fmt::format(
      "Creator: {}\n"
      "Subject: {} held and not used\n\n"
      "In the {} before {}, the utilisation of these devices stayed below {} %:\n\n"
      "{}\n"
      "Others wait for devices. Please delete what you do not need any more.\n",
      Printable(creator), CountOf(static_cast<std::size_t>(SumOfIdle(lines)), "device"),
      model::FormatDuration(findings.config.window), FormatTime(findings.time),
      findings.config.below, FormatTable(rows, {}));
}

// Whoever uses none of the devices of a pod is to end it.
Tone ToneOf(const IdleLine& line) {
  return line.use.use == Use::kIdle ? Tone::kBad : Tone::kWaiting;
}

Row IdleRow(const IdleLine& line, const IdleFindings& findings, bool wide) {
  const usage::Holding& holding = line.use.holding;
  Row row = {CreatorOf(line),
             holding.namespace_name,
             holding.pod,
             Accelerator(line),
             fmt::format("{}", holding.devices),
             {fmt::format("{}", line.use.idle_devices), ToneOf(line)},
             Peak(line),
             Unused(line, findings),
             FormatAge(holding.created, findings.time)};
  if (wide) row.insert(row.end(), {holding.resource, holding.node});
  row.emplace_back(ToString(line.workload));
  return row;
}

}  // namespace

std::string IdleText(const IdleFindings& findings, const TableStyle& style) {
  std::vector<Row> rows = {
      {"CREATOR", "NAMESPACE", "POD", "ACCELERATOR", "DEVICES", "IDLE", "PEAK", "UNUSED", "AGE"}};
  if (style.wide) rows.front().insert(rows.front().end(), {"RESOURCE", "NODE"});
  rows.front().emplace_back("WORKLOAD");
  for (const IdleLine* line : WithIdle(findings)) {
    rows.push_back(IdleRow(*line, findings, style.wide));
  }
  const std::size_t most_pods = style.wide ? findings.lines.size() : kMostNotJudged;
  const std::string window = model::FormatDuration(findings.config.window);
  const std::string notes = NotJudged(findings, Use::kYoung, "younger than " + window, most_pods) +
                            NotJudged(findings, Use::kNoData, "no data", most_pods);
  return FormatTable(rows, style.terminal) + (notes.empty() ? "" : "\n" + notes);
}

std::string IdleJson(const IdleFindings& findings) {
  Json json = {{"time", FormatTime(findings.time)},
               {"windowSeconds", findings.config.window.count()},
               {"belowPercent", findings.config.below},
               {"pods", Json::array()},
               {"hints", findings.hints}};
  for (const IdleLine& line : findings.lines) json["pods"].push_back(JsonOf(line));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string IdleReport(const IdleFindings& findings) {
  std::map<std::string, Lines> by_creator;
  for (const IdleLine* line : WithIdle(findings)) {
    // Of pods without creator, the namespace is who may know.
    std::string creator = CreatorOf(*line);
    if (line->use.holding.creator.empty()) {
      creator += ", namespace " + line->use.holding.namespace_name;
    }
    by_creator[creator].push_back(line);
  }
  std::string report;
  for (const auto& [creator, lines] : by_creator) {
    report += (report.empty() ? "" : "\n-- \n\n") + ReportTo(creator, lines, findings);
  }
  return report;
}

}  // namespace berth::cli
