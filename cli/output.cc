#include "cli/output.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "yaml/from_json.h"

namespace berth::cli {

Argument AddOutputOption(Command command, OutputOptions& output,
                         const std::vector<OutputFormat>& others) {
  std::vector<std::string> formats = {"table", "wide", "json", "yaml"};
  std::string help = "table, wide (with more columns), json or yaml";
  for (const OutputFormat& other : others) {
    formats.push_back(other.name);
    help += fmt::format("; {}: {}", other.name, other.help);
  }
  return command.AddOption("-o,--output", output.format, help).OneOf(std::move(formats));
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

void PrintHint(std::string_view hint) { fmt::print(stderr, "{}\n", Printable(hint)); }

}  // namespace berth::cli
