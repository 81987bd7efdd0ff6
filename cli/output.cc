#include "cli/output.h"

#include <fmt/format.h>

#include "yaml/from_json.h"

namespace berth::cli {

Argument AddOutputOption(Command command, OutputOptions& output) {
  return command
      .AddOption("-o,--output", output.format, "table, wide (with more columns), json or yaml")
      .OneOf({"table", "wide", "json", "yaml"});
}

void PrintAnswer(const OutputOptions& output, const std::function<std::string()>& json,
                 const std::function<std::string(const TableStyle&)>& table) {
  if (output.format == "json") {
    fmt::print("{}", json());
  } else if (output.format == "yaml") {
    fmt::print("{}", yaml::YamlFromJson(json()));
  } else {
    fmt::print("{}", table({.wide = output.format == "wide", .terminal = StandardOutput()}));
  }
}

}  // namespace berth::cli
