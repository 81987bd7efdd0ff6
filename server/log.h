#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace berth::server {

enum class LogLevel { kDebug, kInfo, kWarning, kError };

/// Text, number, truth or list of texts. Refers to the texts that it was made from.
class LogValue {
 public:
  LogValue(const char* text) : value_(std::string_view(text)) {}                 // NOLINT
  LogValue(std::string_view text) : value_(text) {}                              // NOLINT
  LogValue(const std::string& text) : value_(std::string_view(text)) {}          // NOLINT
  LogValue(const std::vector<std::string>& texts) : value_(std::span(texts)) {}  // NOLINT
  LogValue(bool truth) : value_(truth) {}                                        // NOLINT
  template <std::signed_integral T>
  LogValue(T number) : value_(std::int64_t{number}) {}  // NOLINT
  template <std::unsigned_integral T>
  requires(!std::same_as<T, bool>) LogValue(T number) : value_(std::uint64_t{number}) {}  // NOLINT
  template <std::floating_point T>
  LogValue(T number) : value_(double{number}) {}  // NOLINT

  const auto& value() const { return value_; }

 private:
  std::variant<std::string_view, std::span<const std::string>, bool, std::int64_t, std::uint64_t,
               double>
      value_;
};

struct LogField {
  /// Not "ts", "level" or "msg", which every line has.
  std::string_view key;
  LogValue value;
};

using LogFields = std::initializer_list<LogField>;

/// One JSON object without line end: ts (RFC 3339, UTC, milliseconds), level, msg, then the fields
/// in their order. ASCII only: everything else is escaped and invalid UTF-8 replaced, so no text
/// can begin a line of its own or speak to a terminal.
std::string FormatLogLine(std::chrono::system_clock::time_point time, LogLevel level,
                          std::string_view message, LogFields fields);

/// Writes one line to standard error, whole lines in one write each. Thread-safe. Never pass pods'
/// environments, tokens or keys.
void Log(LogLevel level, std::string_view message, LogFields fields = {});

/// Lines below `level` are not written; kInfo at the start. Thread-safe.
void SetLogLevel(LogLevel level);

}  // namespace berth::server
