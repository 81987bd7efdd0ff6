#pragma once

#include <string>
#include <string_view>

#include "config/reader.h"
#include "process/server.h"

namespace berth::cli {

/// Serves by a configuration that was read from `file` until SIGTERM or SIGINT, and returns the
/// exit code: kExitNo where an address cannot be listened on, which may be free later, and
/// kExitUsage for every other reason not to start. `command` is named in what is printed then.
int Serve(std::string_view command, const std::string& file, config::ConfigReading reading,
          const process::StartServer& start);

}  // namespace berth::cli
