#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace berth::probe {

/// What a probe has found, as the exit code that node-problem-detector expects of a custom plugin
/// (docs/custom_plugin_monitor.md of its repository): it makes the condition False of 0, True of 1,
/// and Unknown of everything else.
enum class Outcome { kWell = 0, kBad = 1, kUnknown = 2 };

/// The answer of a probe.
struct Verdict {
  Outcome outcome = Outcome::kUnknown;
  /// What the condition's message becomes; see Line().
  std::string message;

  friend bool operator==(const Verdict&, const Verdict&) = default;
};

Verdict Well(std::string message);
Verdict Bad(std::string message);
Verdict Unknown(std::string message);

/// The bytes of a message that node-problem-detector keeps by default (max_output_length).
inline constexpr std::size_t kLineLength = 80;

/// The message as one line of at most kLineLength bytes of printable ASCII, without a line break.
/// Names of processes and mounts may hold anything; node-problem-detector cuts within characters.
std::string Line(std::string_view message);

}  // namespace berth::probe
