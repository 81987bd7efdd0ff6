#include "cli/capacity_output.h"

#include <fmt/format.h>
#include <google/protobuf/repeated_field.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "cli/age.h"
#include "cli/text_table.h"
#include "placement/placement_messages.h"

namespace berth::cli {

namespace {

using v1::AcceleratorCapacity;
using v1::DeviceTotals;
using v1::ExcludedCapacity;
using v1::UnrecognisedCapacity;
using Json = nlohmann::ordered_json;
using Row = std::vector<std::string>;

Row RowOf(const std::string& accelerator, const std::string& resource,
          const DeviceTotals& devices) {
  return {accelerator,
          resource,
          fmt::format("{}", devices.nodes()),
          fmt::format("{}", devices.total()),
          fmt::format("{}", devices.used()),
          fmt::format("{}", devices.free())};
}

Row RowOf(const AcceleratorCapacity& accelerator) {
  Row row = RowOf(accelerator.accelerator(), accelerator.resource(), accelerator.devices());
  std::int64_t out_of_reach = 0;
  std::vector<std::string> reasons;
  for (const ExcludedCapacity& excluded : accelerator.excluded()) {
    out_of_reach += excluded.devices().free();
    reasons.push_back(fmt::format("{} {}", excluded.devices().nodes(), excluded.summary()));
  }
  row.push_back(fmt::format("{}", out_of_reach));
  row.push_back(fmt::format("{}", fmt::join(reasons, "; ")));
  return row;
}

Row RowOf(const UnrecognisedCapacity& unrecognised) {
  Row row = RowOf("-", unrecognised.resource(), unrecognised.devices());
  row.push_back("-");
  row.push_back("not in the catalogue");
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

std::string CapacityText(const v1::CapacityResponse& capacity) {
  std::vector<Row> rows = {
      {"ACCELERATOR", "RESOURCE", "NODES", "TOTAL", "USED", "FREE", "EXCLUDED", "WHY"}};
  for (const AcceleratorCapacity& each : capacity.accelerators()) {
    // The built-in catalogue has many entries, and few clusters have nodes of more than some.
    if (each.devices().nodes() > 0) rows.push_back(RowOf(each));
  }
  for (const UnrecognisedCapacity& each : capacity.unrecognised()) rows.push_back(RowOf(each));
  return TextTable(rows);
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
