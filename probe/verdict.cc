#include "probe/verdict.h"

#include <string>
#include <string_view>
#include <utility>

namespace berth::probe {

Verdict Well(std::string message) { return {Outcome::kWell, std::move(message)}; }

Verdict Bad(std::string message) { return {Outcome::kBad, std::move(message)}; }

Verdict Unknown(std::string message) { return {Outcome::kUnknown, std::move(message)}; }

std::string Line(std::string_view message) {
  static constexpr std::string_view kCut = "...";
  std::string line;
  for (const char c : message) line += c < ' ' || c > '~' ? '?' : c;
  if (line.size() > kLineLength) {
    line.resize(kLineLength - kCut.size());
    line += kCut;
  }
  return line;
}

}  // namespace berth::probe
