#pragma once

#include "config/config.h"
#include "server/log.h"

namespace berth::process {

/// Converts the configured threshold (log.level) to the log's own type, for server::SetLogLevel():
/// lines of this level and of more important ones are written.
server::LogLevel LogLevelOf(const config::LogConfig& config);

}  // namespace berth::process
