#pragma once

#include "config/config.h"
#include "server/log.h"

namespace berth::process {

/// The least important lines that `config` wants, as the log takes it.
server::LogLevel LogLevelOf(const config::LogConfig& config);

}  // namespace berth::process
