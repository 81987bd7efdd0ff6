#pragma once

namespace berth::cli {

/// The whole program: reads the command line, runs the subcommand and returns the exit code (see
/// exit_code.h). Answers go to standard output, errors to standard error. Catches every exception.
/// Returns kExitNo if standard output cannot be written. Call it once, from main().
int Run(int argc, const char* const* argv);

}  // namespace berth::cli
