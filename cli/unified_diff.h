#pragma once

#include <string>

namespace berth::cli {

/// Returns the difference between two texts by lines, as `diff -u` writes it, without the two lines
/// that name the files. Empty if the texts are equal. Both must end with a line end, or be empty.
std::string UnifiedDiff(const std::string& before, const std::string& after);

}  // namespace berth::cli
