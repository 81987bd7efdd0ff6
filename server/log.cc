#include "server/log.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <nlohmann/json.hpp>

namespace berth::server {
namespace {

using Json = nlohmann::ordered_json;

std::string_view Name(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarning:
      return "warning";
    case LogLevel::kError:
      return "error";
  }
  return "error";
}

spdlog::level::level_enum ToSpdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

std::string Timestamp(std::chrono::system_clock::time_point time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(time - seconds);
  const auto utc = fmt::gmtime(std::chrono::system_clock::to_time_t(seconds));
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", utc, rest.count());
}

// Never destroyed, because threads may log while the process ends.
spdlog::logger& Logger() {
  static spdlog::logger& logger = *[] {
    auto* made = new spdlog::logger("berth", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("%v");
    return made;
  }();
  return logger;
}

}  // namespace

std::string FormatLogLine(std::chrono::system_clock::time_point time, LogLevel level,
                          std::string_view message, LogFields fields) {
  Json line;
  line["ts"] = Timestamp(time);
  line["level"] = Name(level);
  line["msg"] = message;
  for (const LogField& field : fields) {
    std::visit([&](const auto& value) { line.emplace(std::string(field.key), value); },
               field.value.value());
  }
  return line.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
}

void Log(LogLevel level, std::string_view message, LogFields fields) {
  spdlog::logger& logger = Logger();
  const auto spdlog_level = ToSpdlog(level);
  if (!logger.should_log(spdlog_level)) return;
  logger.log(spdlog_level, FormatLogLine(std::chrono::system_clock::now(), level, message, fields));
}

void SetLogLevel(LogLevel level) { Logger().set_level(ToSpdlog(level)); }

}  // namespace berth::server
