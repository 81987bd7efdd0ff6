#include "cli/config_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/config_docs.h"
#include "cli/config_reader.h"
#include "cli/config_summary.h"
#include "cli/config_writer.h"
#include "cli/exit_code.h"
#include "cli/file.h"

namespace berth::cli {

namespace {

int Validate(const std::string& file) {
  const ConfigReading reading = ReadConfig(file);
  if (!reading.ok()) {
    fmt::print(stderr, "{}\n", ToString(reading.errors));
    return kExitUsage;
  }
  fmt::print("{} is valid: {}\n", DisplayName(file), Summarize(reading.config));
  return kExitOk;
}

void AddDefaults(CLI::App& config) {
  auto* defaults = config.add_subcommand(
      "defaults", "Write the configuration that holds where a file says nothing, with comments");
  defaults->callback([] {
    fmt::print(
        "# Berth's configuration with its defaults. Only apiVersion, kind and extender.tls\n"
        "# must be given; leave out whatever you do not change.\n\n{}",
        WriteConfig({}));
  });
}

void AddValidate(CLI::App& config, int& exit_code) {
  auto* validate = config.add_subcommand(
      "validate", "Tell everything that is wrong with a configuration file (exit code 2)");
  const auto file = std::make_shared<std::string>();
  // By its name as well, as the servers take it.
  validate->add_option("file,--config", *file, "The file; - for standard input")->required();
  validate->callback([file, &exit_code] { exit_code = Validate(*file); });
}

}  // namespace

void AddConfigCommand(CLI::App& app, int& exit_code) {
  auto* config = app.add_subcommand("config", "Write or check configuration files");
  config->require_subcommand(1);
  AddDefaults(*config);
  AddValidate(*config, exit_code);
  config->add_subcommand("docs", "Write the reference of all fields as Markdown")->callback([] {
    fmt::print("{}", ConfigDocs());
  });
}

}  // namespace berth::cli
