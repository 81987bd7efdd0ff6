#pragma once

#include <string>
#include <vector>

namespace berth::cli {

/// Formats rows of cells as a table, one line for each row. Columns are as wide as their widest
/// cell and two blanks apart; lines have no blanks at the end. Rows may have different numbers of
/// cells.
std::string TextTable(const std::vector<std::vector<std::string>>& rows);

}  // namespace berth::cli
