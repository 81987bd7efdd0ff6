#pragma once

#include <string>
#include <string_view>

#include "config/reader.h"
#include "process/server.h"

namespace berth::cli {

/// Runs the server of a subcommand until SIGTERM or SIGINT, with a configuration that was read from
/// `file` without errors. Returns the exit code: kExitOk after the signal, kExitNo if an address is
/// taken, which may be free later, and kExitUsage for every other reason not to start. `command` is
/// the name of the subcommand in the message that is printed then.
int Serve(std::string_view command, const std::string& file, config::ConfigReading reading,
          const process::StartServer& start);

}  // namespace berth::cli
