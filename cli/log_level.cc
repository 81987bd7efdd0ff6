#include "cli/log_level.h"

namespace berth::cli {

using server::LogLevel;

server::LogLevel LogLevelOf(const LogConfig& config) {
  switch (config.level) {
    case LogThreshold::kDebug:
      return LogLevel::kDebug;
    case LogThreshold::kInfo:
      return LogLevel::kInfo;
    case LogThreshold::kWarning:
      return LogLevel::kWarning;
    case LogThreshold::kError:
      return LogLevel::kError;
  }
  return LogLevel::kInfo;
}

}  // namespace berth::cli
