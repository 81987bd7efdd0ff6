#pragma once

#include <string>
#include <vector>

namespace berth::cli {

/// Columns as wide as their widest cell, two blanks between them, none at the end of a line.
std::string TextTable(const std::vector<std::vector<std::string>>& rows);

}  // namespace berth::cli
