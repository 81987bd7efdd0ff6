#include "cli/text_table.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace berth::cli {

namespace {

constexpr std::size_t kGap = 2;
// A column that is cut to fewer columns tells nothing.
constexpr std::size_t kLeastLastColumn = 12;

std::vector<std::size_t> WidthsOf(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], WidthOf(row[i].text));
    }
  }
  return widths;
}

// The columns that the last of `widths` may take; its own number if nothing has to be cut.
std::size_t RoomForLast(const std::vector<std::size_t>& widths, const Terminal& terminal) {
  if (widths.empty()) return 0;
  const std::size_t before =
      std::accumulate(widths.begin(), widths.end() - 1, kGap * (widths.size() - 1));
  const bool fits_nothing = terminal.width < before + kLeastLastColumn;
  if (terminal.width == 0 || fits_nothing) return widths.back();
  return std::min(widths.back(), terminal.width - before);
}

std::string LineOf(const Row& row, const std::vector<std::size_t>& widths, std::size_t room,
                   const Terminal& terminal) {
  std::string line;
  std::size_t blanks = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const bool is_last = i + 1 == widths.size();
    const std::string text = is_last && room > 0 ? CutTo(row[i].text, room) : row[i].text;
    if (!text.empty()) {
      line += std::string(blanks, ' ') + Painted(text, row[i].tone, terminal);
      blanks = 0;
    }
    blanks += widths[i] - std::min(widths[i], WidthOf(text)) + kGap;
  }
  return line + '\n';
}

Row PrintableRow(const Row& row) {
  Row printable;
  printable.reserve(row.size());
  for (const Cell& cell : row) printable.emplace_back(Printable(cell.text), cell.tone);
  return printable;
}

}  // namespace

std::string OrDash(const std::string& text) { return text.empty() ? "-" : text; }

std::string FormatTable(const std::vector<Row>& rows, const Terminal& terminal) {
  std::vector<Row> printable;
  printable.reserve(rows.size());
  for (const Row& row : rows) printable.push_back(PrintableRow(row));
  const std::vector<std::size_t> widths = WidthsOf(printable);
  const std::size_t room = RoomForLast(widths, terminal);
  std::string text;
  for (const Row& row : printable) text += LineOf(row, widths, room, terminal);
  return text;
}

}  // namespace berth::cli
