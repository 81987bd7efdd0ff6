#include "process/log_level.h"

namespace berth::process {

using server::LogLevel;

server::LogLevel LogLevelOf(const config::LogConfig& config) {
  switch (config.level) {
    case config::LogThreshold::kDebug:
      return LogLevel::kDebug;
    case config::LogThreshold::kInfo:
      return LogLevel::kInfo;
    case config::LogThreshold::kWarning:
      return LogLevel::kWarning;
    case config::LogThreshold::kError:
      return LogLevel::kError;
  }
  return LogLevel::kInfo;
}

}  // namespace berth::process
