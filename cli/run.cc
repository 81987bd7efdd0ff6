#include "cli/run.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
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
    app.parse(argc, argv);
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
