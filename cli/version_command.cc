#include "cli/version_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/version.h"

namespace berth::cli {

namespace {

void Print(const std::string& output) {
  if (output == "json") {
    const nlohmann::ordered_json version = {
        {"version", Version()}, {"revision", Revision()}, {"compiler", Compiler()}};
    fmt::print("{}\n", version.dump(2));
    return;
  }
  fmt::print("berth {} (revision {}, {})\n", Version(), Revision(), Compiler());
}

}  // namespace

void AddVersionCommand(CLI::App& app) {
  auto* version = app.add_subcommand("version", "Tell what was built, from what and how");
  const auto output = std::make_shared<std::string>("text");
  version->add_option("-o,--output", *output, "text or json")
      ->capture_default_str()
      ->check(CLI::IsMember({"text", "json"}));
  version->callback([output] { Print(*output); });
}

}  // namespace berth::cli
