#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>

#include "cli/command.h"
#include "cli/command_line.h"

namespace berth::cli {

namespace {

OptionSpec SpecOf(const CLI::Option& option, const CommandLine& line) {
  OptionSpec spec{.positional = option.get_name(true),
                  .help = option.get_description(),
                  .takes_value = option.get_items_expected_max() > 0,
                  .repeatable = option.get_items_expected_max() > 1,
                  .required = option.get_required(),
                  .default_value = option.get_default_str()};
  for (const std::string& name : option.get_snames()) spec.names.push_back('-' + name);
  for (const std::string& name : option.get_lnames()) spec.names.push_back("--" + name);
  const auto hints = line.hints.find(&option);
  if (hints != line.hints.end()) {
    spec.values = hints->second.values;
    spec.candidates = hints->second.candidates;
  }
  return spec;
}

CommandSpec SpecOf(const CLI::App& app, const CommandLine& line) {
  CommandSpec spec{
      .name = app.get_name(), .help = app.get_description(), .footer = app.get_footer()};
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    OptionSpec each = SpecOf(*option, line);
    if (!each.names.empty()) spec.options.push_back(each);
    // An option may also be given by its place alone.
    each.names.clear();
    if (!each.positional.empty()) spec.arguments.push_back(std::move(each));
  }
  // With an empty filter get_subcommands() returns those that the command line has named.
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_group().empty()) spec.commands.push_back(SpecOf(*command, line));
  }
  return spec;
}

}  // namespace

CommandSpec Command::Describe() const { return SpecOf(*app_, *line_); }

}  // namespace berth::cli
