#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "config/docs.h"
#include "config/frameworks.h"
#include "config/health_profiles.h"
#include "config/json_schema.h"
#include "config/reader.h"
#include "config/summary.h"
#include "config/writer.h"
#include "yaml/file.h"

namespace berth::cli {

namespace {

int Validate(const std::string& file) {
  const config::ConfigReading reading = config::ReadConfig(file);
  if (!reading.ok()) return Fail(reading.errors);
  fmt::print("{} is valid: {}\n", yaml::DisplayName(file), config::Summarize(reading.config));
  return kExitOk;
}

int PrintDefaults() {
  fmt::print(
      "# Berth's configuration with its defaults. Only apiVersion, kind and the tls of the server\n"
      "# that you run (extender, admission) are required; leave out what you do not change.\n\n{}",
      config::WriteConfig({}));
  return kExitOk;
}

int PrintDocs() {
  fmt::print("{}", config::ConfigDocs());
  return kExitOk;
}

int PrintFrameworks() {
  fmt::print("{}", config::FrameworksYaml());
  return kExitOk;
}

int PrintProfiles() {
  fmt::print("{}", config::HealthProfilesYaml());
  return kExitOk;
}

int PrintSchema() {
  fmt::print("{}", config::ConfigJsonSchema());
  return kExitOk;
}

void AddValidate(Command config) {
  Command validate =
      config.AddCommand("validate", "Report all errors in a configuration file (exit code 2)");
  const auto file = std::make_shared<std::string>();
  // Also as an option, because the servers take the file as --config.
  validate.AddOption("file,--config", *file, "The file; - for standard input").Required();
  validate.Run([file] { return Validate(*file); });
}

}  // namespace

void AddConfigCommand(Command berth) {
  Command config = berth.AddCommand("config", "Write or check configuration files");
  config.RequireCommand();
  config.AddCommand("defaults", "Write the default configuration, with comments")
      .Run(PrintDefaults);
  AddValidate(config);
  config.AddCommand("docs", "Write the reference of all fields in Markdown").Run(PrintDocs);
  config
      .AddCommand("frameworks", "Write what each name in admission.frameworks stands for, as YAML")
      .Run(PrintFrameworks);
  config.AddCommand("profiles", "Write what each name in health.profiles stands for, as YAML")
      .Run(PrintProfiles);
  config.AddCommand("schema", "Write the JSON Schema of configuration files, for editors and Helm")
      .Run(PrintSchema);
}

}  // namespace berth::cli
