#pragma once

#include "config/config.h"
#include "server/log.h"

namespace berth::process {

/// The configured threshold as the log's own type: lines of this level and above are written.
server::LogLevel LogLevelOf(const config::LogConfig& config);

}  // namespace berth::process
