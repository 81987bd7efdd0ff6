#include "cli/who_output.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/age.h"
#include "cli/text_table.h"

namespace berth::cli {

namespace {

using usage::GroupBy;
using usage::Held;
using Json = nlohmann::ordered_json;

// All names or, unless it is wide, the first ones and how many more there are.
std::string NamesText(const std::vector<std::string>& names, std::string_view none, bool wide) {
  constexpr std::size_t kMost = 2;
  if (names.empty()) return std::string(none);
  if (wide || names.size() <= kMost) return fmt::format("{}", fmt::join(names, ","));
  return fmt::format("{},+{}", fmt::join(names.begin(), names.begin() + kMost, ","),
                     names.size() - kMost);
}

Row WhoHeader(GroupBy group, bool hours) {
  Row row;
  switch (group) {
    case GroupBy::kCreator:
      row = {"CREATOR", "NAMESPACE"};
      break;
    case GroupBy::kNamespace:
      row = {"NAMESPACE", "CREATOR"};
      break;
    case GroupBy::kPod:
      row = {"NAMESPACE", "POD", "CREATOR", "NODE"};
      break;
  }
  row.insert(row.end(), {"ACCELERATOR", "RESOURCE", "DEVICES"});
  if (group != GroupBy::kPod) row.emplace_back("PODS");
  row.emplace_back("OLDEST");
  if (hours) row.insert(row.end(), {"HOURS/DAY", "HOURS/WEEK", "HOURS/MONTH"});
  return row;
}

Row HeldRow(const Held& held, GroupBy group, bool hours, model::Time now, bool wide) {
  const std::string creators = NamesText(held.creators, usage::kUnknownCreator, wide);
  const std::string namespaces = NamesText(held.namespaces, "-", wide);
  Row row;
  switch (group) {
    case GroupBy::kCreator:
      row = {creators, namespaces};
      break;
    case GroupBy::kNamespace:
      row = {namespaces, creators};
      break;
    case GroupBy::kPod:
      row = {namespaces, held.pod, creators, OrDash(held.node)};
      break;
  }
  row.insert(row.end(),
             {OrDash(held.accelerator), OrDash(held.resource), fmt::format("{}", held.devices)});
  if (group != GroupBy::kPod) row.emplace_back(fmt::format("{}", held.pods));
  row.emplace_back(held.oldest == model::kNoTime ? "-" : FormatAge(held.oldest, now));
  if (!hours) return row;
  if (!held.hours) {
    row.insert(row.end(), {"-", "-", "-"});
    return row;
  }
  for (const double number : {held.hours->day, held.hours->week, held.hours->month}) {
    row.emplace_back(fmt::format("{:.1f}", number));
  }
  return row;
}

Json JsonOf(const Held& held) {
  Json json = {{"creators", held.creators}, {"namespaces", held.namespaces}};
  if (!held.pod.empty()) {
    json["pod"] = held.pod;
    json["node"] = held.node;
  }
  json["accelerator"] = held.accelerator;
  json["resource"] = held.resource;
  json["devices"] = held.devices;
  json["pods"] = held.pods;
  if (held.oldest != model::kNoTime) json["oldest"] = FormatTime(held.oldest);
  if (held.hours) {
    json["deviceHours"] = {
        {"day", held.hours->day}, {"week", held.hours->week}, {"month", held.hours->month}};
  }
  return json;
}

}  // namespace

std::string WhoText(const std::vector<Held>& held, GroupBy group, bool hours, model::Time now,
                    const TableStyle& style) {
  std::vector<Row> rows = {WhoHeader(group, hours)};
  for (const Held& each : held) {
    rows.push_back(HeldRow(each, group, hours, now, style.wide));
  }
  return FormatTable(rows, style.terminal);
}

std::string WhoJson(const std::vector<Held>& held, const std::vector<std::string>& hints,
                    model::Time now) {
  Json json = {{"time", FormatTime(now)}, {"holders", Json::array()}, {"hints", hints}};
  for (const Held& each : held) json["holders"].push_back(JsonOf(each));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace berth::cli
