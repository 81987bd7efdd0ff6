#pragma once

#include <string>

namespace berth::cli {

/// How `after` differs from `before` in lines, as `diff -u` writes it, without the two lines that
/// name the files; empty where nothing differs. Both end with a line end, or are empty.
std::string UnifiedDiff(const std::string& before, const std::string& after);

}  // namespace berth::cli
