#include "cli/run.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "cli/commands.h"
#include "cli/exit_code.h"

namespace berth::cli {

namespace {

// Prints help to standard output and errors to standard error. Replaces CLI11's own exit codes.
int ExitOf(const CLI::App& app, const CLI::ParseError& error) {
  return app.exit(error) == 0 ? kExitOk : kExitUsage;
}

int RunCommand(int argc, const char* const* argv) {
  CLI::App app(
      "Places machine-learning pods on Kubernetes clusters with several kinds of accelerators");
  app.name("berth");
  app.footer("Exit codes: 0 ok; 1 the answer is no, or a failure; 2 wrong usage or configuration.");
  app.require_subcommand(0, 1);
  int exit_code = kExitOk;
  const Command berth(app, exit_code);
  AddExtenderCommand(berth);
  AddAdmissionCommand(berth);
  AddControllerCommand(berth);
  AddMutateCommand(berth);
  AddReportCommand(berth);
  AddPoliciesCommand(berth);
  AddExplainCommand(berth);
  AddCapacityCommand(berth);
  AddCertsCommand(berth);
  AddStanzaCommand(berth);
  AddDoctorCommand(berth);
  AddUntaintCommand(berth);
  AddReleaseCommand(berth);
  AddProbeCommand(berth);
  AddConfigCommand(berth);
  AddVersionCommand(berth);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return ExitOf(app, error);
  }
  if (app.get_subcommands().empty()) std::fputs(app.help().c_str(), stdout);
  return exit_code;
}

// Output may be lost even though it was printed, for example on a full disk.
bool FlushOutput() { return std::fflush(stdout) == 0 && std::ferror(stdout) == 0; }

}  // namespace

int Run(int argc, const char* const* argv) {
  try {
    const int exit_code = RunCommand(argc, argv);
    if (FlushOutput()) return exit_code;
    std::fputs("berth: standard output cannot be written\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "berth: %s\n", error.what());
  }
  return kExitNo;
}

}  // namespace berth::cli
