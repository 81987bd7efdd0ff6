#include "cli/capacity_output.h"

#include <fmt/format.h>
#include <google/protobuf/repeated_field.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/age.h"
#include "cli/text_table.h"
#include "model/saturating.h"
#include "placement/placement_messages.h"

namespace berth::cli {

namespace {

using v1::AcceleratorCapacity;
using v1::DeviceTotals;
using v1::ExcludedCapacity;
using v1::UnrecognisedCapacity;
using Json = nlohmann::ordered_json;

Row RowOf(const std::string& accelerator, const std::string& resource,
          const DeviceTotals& devices) {
  return {accelerator,
          resource,
          fmt::format("{}", devices.nodes()),
          fmt::format("{}", devices.total()),
          fmt::format("{}", devices.used()),
          {fmt::format("{}", devices.free()), devices.free() > 0 ? Tone::kGood : Tone::kWaiting}};
}

// "75%" of the devices are in use.
std::string UseOf(const DeviceTotals& devices) {
  if (devices.total() == 0) return "-";
  const double used = 100 * static_cast<double>(devices.used());
  return fmt::format("{:.0f}%", std::floor(used / static_cast<double>(devices.total())));
}

Row RowOf(const AcceleratorCapacity& accelerator, bool wide) {
  Row row = RowOf(accelerator.accelerator(), accelerator.resource(), accelerator.devices());
  std::int64_t out_of_reach = 0;
  std::uint64_t nodes = 0;
  std::vector<std::string> reasons;
  for (const ExcludedCapacity& excluded : accelerator.excluded()) {
    out_of_reach = model::SaturatingAdd(out_of_reach, excluded.devices().free());
    nodes += excluded.devices().nodes();
    reasons.push_back(fmt::format("{} {}", excluded.devices().nodes(), excluded.summary()));
  }
  const Tone tone = out_of_reach > 0 ? Tone::kBad : Tone::kPlain;
  row.emplace_back(fmt::format("{}", out_of_reach), tone);
  if (wide) {
    row.emplace_back(UseOf(accelerator.devices()));
    row.emplace_back(fmt::format("{}", nodes));
    row.emplace_back(fmt::format("{}", accelerator.devices().free() - out_of_reach));
  }
  row.emplace_back(fmt::format("{}", fmt::join(reasons, "; ")));
  return row;
}

Row RowOf(const UnrecognisedCapacity& unrecognised, bool wide) {
  Row row = RowOf("-", unrecognised.resource(), unrecognised.devices());
  row.emplace_back("-");
  if (wide) {
    row.emplace_back(UseOf(unrecognised.devices()));
    row.emplace_back("-");
    row.emplace_back(fmt::format("{}", unrecognised.devices().free()));
  }
  row.emplace_back("not in the catalogue");
  return row;
}

Json JsonOf(const DeviceTotals& devices) {
  return {{"nodes", devices.nodes()},
          {"total", devices.total()},
          {"used", devices.used()},
          {"free", devices.free()}};
}

Json JsonOf(const ExcludedCapacity& excluded) {
  Json json = {{"reason", excluded.reason()}, {"summary", excluded.summary()}};
  json.update(JsonOf(excluded.devices()));
  return json;
}

Json JsonOf(const AcceleratorCapacity& accelerator) {
  Json json = {{"accelerator", accelerator.accelerator()}, {"resource", accelerator.resource()}};
  json.update(JsonOf(accelerator.devices()));
  json["excluded"] = Json::array();
  for (const ExcludedCapacity& each : accelerator.excluded()) {
    json["excluded"].push_back(JsonOf(each));
  }
  return json;
}

Json JsonOf(const UnrecognisedCapacity& unrecognised) {
  Json json = {{"resource", unrecognised.resource()}};
  json.update(JsonOf(unrecognised.devices()));
  return json;
}

template <typename T>
Json CapacityList(const google::protobuf::RepeatedPtrField<T>& items) {
  Json list = Json::array();
  for (const T& item : items) list.push_back(JsonOf(item));
  return list;
}

}  // namespace

std::string CapacityText(const v1::CapacityResponse& capacity, const TableStyle& style) {
  std::vector<Row> rows = {
      {"ACCELERATOR", "RESOURCE", "NODES", "TOTAL", "USED", "FREE", "EXCLUDED"}};
  if (style.wide) {
    for (const char* name : {"IN-USE", "EXCLUDED-NODES", "AVAILABLE"}) {
      rows.front().emplace_back(name);
    }
  }
  rows.front().emplace_back("WHY");
  for (const AcceleratorCapacity& each : capacity.accelerators()) {
    // The built-in catalogue has many entries, and few clusters have nodes of more than some.
    if (style.wide || each.devices().nodes() > 0) rows.push_back(RowOf(each, style.wide));
  }
  for (const UnrecognisedCapacity& each : capacity.unrecognised()) {
    rows.push_back(RowOf(each, style.wide));
  }
  return FormatTable(rows, style.terminal);
}

std::string CapacityJson(const v1::CapacityResponse& capacity) {
  const std::vector<std::string> hints(capacity.hints().begin(), capacity.hints().end());
  const Json json = {{"time", FormatTime(placement::TimeOf(capacity.time()))},
                     {"accelerators", CapacityList(capacity.accelerators())},
                     {"unrecognised", CapacityList(capacity.unrecognised())},
                     {"hints", hints}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace berth::cli
