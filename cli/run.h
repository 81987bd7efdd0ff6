#pragma once

namespace berth::cli {

/// Everything that `berth` does: reads the command line, runs the subcommand, returns the exit code
/// (exit_code.h). Answers go to standard output, errors to standard error.
int Run(int argc, const char* const* argv);

}  // namespace berth::cli
