#include "tests/simulation/seeds.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <optional>

#include "absl/strings/numbers.h"
#include "fmt/format.h"
#include "gtest/gtest.h"

namespace berth::simulation {
namespace {

/// Nothing where it cannot be read.
std::optional<Seeds> SeedsOf(const std::string& text) {
  Seeds seeds;
  const std::size_t dash = text.find('-');
  if (dash != std::string::npos && !absl::SimpleAtoi(text.substr(0, dash), &seeds.first)) return {};
  const std::string last = dash == std::string::npos ? text : text.substr(dash + 1);
  if (!absl::SimpleAtoi(last, &seeds.last) || seeds.last < seeds.first) return {};
  return seeds;
}

}  // namespace

Seeds SeedsToRun(std::uint64_t by_default) {
  const Seeds first{1, by_default};
  const char* text = std::getenv("SEEDS");
  if (text == nullptr || *text == '\0') return first;
  const std::optional<Seeds> seeds = SeedsOf(text);
  EXPECT_TRUE(seeds) << "SEEDS=" << text
                     << " is neither a number, such as 10000, nor a range, such as 120-130";
  return seeds.value_or(first);
}

std::string EndOf(const Trace& trace, std::ptrdiff_t most) {
  const auto& lines = trace.lines();
  const auto first = lines.end() - std::min(most, std::ssize(lines));
  return fmt::format("{}", fmt::join(first, lines.end(), "\n"));
}

}  // namespace berth::simulation
