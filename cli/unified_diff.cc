#include "cli/unified_diff.h"

#include <dtl/dtl.hpp>
#include <sstream>
#include <vector>

namespace berth::cli {

namespace {

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace

std::string UnifiedDiff(const std::string& before, const std::string& after) {
  if (before == after) return "";
  dtl::Diff<std::string> diff(LinesOf(before), LinesOf(after));
  diff.compose();
  diff.composeUnifiedHunks();
  std::ostringstream out;
  diff.printUnifiedFormat(out);
  return std::move(out).str();
}

}  // namespace berth::cli
