#include "cli/run.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/complete.h"
#include "cli/exit_code.h"
#include "cli/program_name.h"

namespace berth::cli {

namespace {

// Prints help to standard output and errors to standard error. Replaces CLI11's own exit codes.
int ExitOf(const CLI::App& app, const CLI::ParseError& error) {
  return app.exit(error) == 0 ? kExitOk : kExitUsage;
}

// What `kubectl berth` has, too: commands for people.
void AddCommandsForPeople(Command berth) {
  AddExplainCommand(berth);
  AddCapacityCommand(berth);
  AddGangsCommand(berth);
  AddWhoCommand(berth);
  AddIdleCommand(berth);
  AddBoardCommand(berth);
  AddMutateCommand(berth);
  AddReportCommand(berth);
  AddDoctorCommand(berth);
  AddReleaseCommand(berth);
  AddVersionCommand(berth);
}

// What only `berth` has: servers, and what serves to install and operate them.
void AddCommandsForOperators(Command berth) {
  AddExtenderCommand(berth);
  AddAdmissionCommand(berth);
  AddControllerCommand(berth);
  AddPoliciesCommand(berth);
  AddCertsCommand(berth);
  AddStanzaCommand(berth);
  AddUntaintCommand(berth);
  AddProbeCommand(berth);
  AddConfigCommand(berth);
  AddCompletionCommand(berth);
  AddManCommand(berth);
}

const CLI::App* FindCommand(const CLI::App& parent, const std::string& name) {
  const auto commands = parent.get_subcommands(
      [&name](const CLI::App* command) { return command->check_name(name); });
  return commands.empty() ? nullptr : commands.front();
}

/// The words with "--as=" as two of them: CLI11 would take the next word for the value.
std::vector<std::string> SplitEmptyValues(const CLI::App& app,
                                          const std::vector<std::string>& words) {
  const CLI::App* command = &app;
  std::vector<std::string> split;
  bool is_value = false;
  bool has_options = true;
  for (const std::string& word : words) {
    split.push_back(word);
    if (std::exchange(is_value, false) || !has_options) continue;
    if (!word.starts_with('-')) {
      if (const CLI::App* const named = FindCommand(*command, word)) command = named;
      continue;
    }
    has_options = word != "--";
    const std::size_t equals = word.find('=');
    const CLI::Option* const option = command->get_option_no_throw(word.substr(0, equals));
    if (option == nullptr || option->get_items_expected_max() == 0) continue;
    is_value = equals == std::string::npos;
    if (equals + 1 != word.size()) continue;
    split.back().pop_back();
    split.emplace_back();
  }
  return split;
}

int RunCommand(int argc, const char* const* argv) {
  const Program program = ProgramOf(argc > 0 ? argv[0] : "");
  CLI::App app(
      "Places machine-learning pods on Kubernetes clusters with several kinds of accelerators");
  app.name(program.is_plugin ? "kubectl berth" : "berth");
  app.footer("Exit codes: 0 ok; 1 the answer is no, or a failure; 2 wrong usage or configuration.");
  app.require_subcommand(0, 1);
  CommandLine line;
  const Command berth(app, line);
  AddCommandsForPeople(berth);
  if (!program.is_plugin) AddCommandsForOperators(berth);
  // Before the command line is parsed: what a shell asks about is not complete.
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  if (program.completes) return PrintCandidates(berth.Describe(), words);
  if (!words.empty() && words.front() == kCompleteCommand) {
    return PrintCandidates(berth.Describe(), {words.begin() + 1, words.end()});
  }
  try {
    std::vector<std::string> split = SplitEmptyValues(app, words);
    std::ranges::reverse(split);  // as CLI11 wants them
    app.parse(std::move(split));
  } catch (const CLI::ParseError& error) {
    return ExitOf(app, error);
  }
  if (app.get_subcommands().empty()) fmt::print("{}", app.help());
  return line.exit_code;
}

// Output may be lost even though it was printed, for example on a full disk.
bool FlushOutput() { return std::fflush(stdout) == 0 && std::ferror(stdout) == 0; }

// If this fails, the exit code still says it.
void Complain(const char* what) { static_cast<void>(std::fprintf(stderr, "berth: %s\n", what)); }

}  // namespace

int Run(int argc, const char* const* argv) {
  try {
    const int exit_code = RunCommand(argc, argv);
    if (FlushOutput()) return exit_code;
    Complain("standard output cannot be written");
  } catch (const std::exception& error) {
    Complain(error.what());
  }
  return kExitNo;
}

}  // namespace berth::cli
