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

/// From the least important to the most important.
enum class LogLevel { kDebug, kInfo, kWarning, kError };

/// The value of a field of a log line: a text, a list of texts, a boolean or a number. It converts
/// implicitly from all of these, so that fields can be written in place. It refers to the texts
/// that it was made from, so they must live until the line is written. Integers are widened to 64
/// bits, and floating-point numbers to double.
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

  /// The value, for std::visit.
  const auto& value() const { return value_; }

 private:
  std::variant<std::string_view, std::span<const std::string>, bool, std::int64_t, std::uint64_t,
               double>
      value_;
};

/// A named value of a log line.
struct LogField {
  /// Any but "ts", "level" and "msg", which every line has.
  std::string_view key;
  LogValue value;
};

using LogFields = std::initializer_list<LogField>;

/// Returns one JSON object without a line end: ts (RFC 3339, UTC, milliseconds), level, msg, then
/// the fields in their order. The text is ASCII only. Other characters are escaped and invalid
/// UTF-8 is replaced, so no text can begin a line of its own or control a terminal.
///
///   {"ts":"2026-01-31T12:00:00.000Z","level":"info","msg":"listening","listener":"extender"}
std::string FormatLogLine(std::chrono::system_clock::time_point time, LogLevel level,
                          std::string_view message, LogFields fields);

/// Writes one line to standard error, in one write, if `level` is at least that of SetLogLevel().
/// Thread-safe. Never pass pods' environments, tokens or keys.
///
///   Log(LogLevel::kInfo, "listening", {{"listener", name}, {"port", port}});
void Log(LogLevel level, std::string_view message, LogFields fields = {});

/// Sets the lowest level that is written; kInfo at the start of the process. Thread-safe.
void SetLogLevel(LogLevel level);

}  // namespace berth::server
