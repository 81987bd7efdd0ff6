#pragma once

#include "cli/config.h"
#include "server/log.h"

namespace berth::cli {

/// The least important lines that `config` wants, as the log takes it.
server::LogLevel LogLevelOf(const LogConfig& config);

}  // namespace berth::cli
