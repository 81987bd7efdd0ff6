#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/terminal.h"

namespace berth::cli {

/// A cell of a table: a text, which may be anybody's, and what it means. A plain value, made from a
/// text alone where it means nothing special.
struct Cell {
  // NOLINTNEXTLINE(google-explicit-constructor): rows are written as lists of texts
  Cell(std::string cell_text, Tone cell_tone = Tone::kPlain)
      : text(std::move(cell_text)), tone(cell_tone) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  Cell(const char* cell_text, Tone cell_tone = Tone::kPlain) : text(cell_text), tone(cell_tone) {}

  std::string text;
  Tone tone;
};

using Row = std::vector<Cell>;

/// What a cell has instead of nothing: "-".
std::string OrDash(const std::string& text);

/// Formats rows of cells as a table, one line for each row. Columns are as wide as their widest
/// cell and two blanks apart; lines have no blanks at the end. Rows may have different numbers of
/// cells. The first row has the names of the columns, in capitals.
///
/// The last column has the text that matters least, since it is cut with "…" where the line would
/// be wider than the terminal. Nothing else is ever cut, because names are there to be copied: if
/// what stands before the last column leaves no room, the terminal breaks the lines.
std::string FormatTable(const std::vector<Row>& rows, const Terminal& terminal);

}  // namespace berth::cli
