#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "kube/kubeconfig.h"

// What a terminal can show: colours, and lines of a certain width. Everything that a command prints
// for people goes through FormatTable() (text_table.h) or Painted().

namespace berth::cli {

/// What can be shown to whoever reads standard output. A plain value. The default is that of files
/// and pipes: no colours, and lines of any length.
struct Terminal {
  bool colour = false;
  /// Columns of a line. 0: lines may have any length.
  std::size_t width = 0;
};

/// Returns what a terminal shows. Nobody sees colours if $NO_COLOR is set and not empty
/// (https://no-color.org), or if $TERM is "dumb" or not set. The width is $COLUMNS or, if that is
/// no number, `columns`, which is 0 if it is not known. If `is_terminal` is false, the result is
/// that of files and pipes.
Terminal TerminalOf(bool is_terminal, std::size_t columns, const kube::Environment& environment);

/// The terminal that standard output is, if it is one.
Terminal StandardOutput();

/// What a word means for whoever waits for a pod. There are few colours, so that they mean
/// something.
enum class Tone : std::uint8_t {
  kPlain,
  /// Green: fits, bound, running.
  kGood,
  /// Yellow: waits, or is penalised.
  kWaiting,
  /// Red: refused, excluded, failed.
  kBad,
};

/// Returns the text in the colour of its tone, if the terminal shows colours.
std::string Painted(std::string_view text, Tone tone, const Terminal& terminal);

/// Returns how many columns a text takes. Counts the characters of UTF-8; marks that combine with
/// the character before them take none, wide ones, as of Chinese, Japanese and Korean, two, and
/// bytes that are not UTF-8 one each.
std::size_t WidthOf(std::string_view text);

/// Returns the text in at most so many columns: if it has more, it ends in "…". `columns` is
/// at least 1.
std::string CutTo(std::string_view text, std::size_t columns);

/// Returns the text with a blank in the place of every control character, and without characters
/// that are invisible or turn the text around. Messages in a cluster are written by anybody, and a
/// terminal obeys some of their bytes; and a line of a table must remain one.
std::string Printable(std::string_view text);

/// The same, but the text keeps its line ends. Whoever puts somebody else's words into a text of
/// several lines calls Printable() for them, or they could look like lines of their own.
std::string PrintableLines(std::string_view text);

}  // namespace berth::cli
