#include "cli/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "model/utf8.h"

namespace berth::cli {

namespace {

// Of ECMA-48. The bright variants are hard to read on a white ground.
std::string_view CodeOf(Tone tone) {
  switch (tone) {
    case Tone::kGood:
      return "32";
    case Tone::kWaiting:
      return "33";
    case Tone::kBad:
      return "31";
    case Tone::kPlain:
      break;
  }
  return "";
}

std::size_t NumberIn(const std::string& text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

// How many bytes the character has that begins here: 1 if it is no UTF-8.
std::size_t BytesOfCharacter(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t bytes = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (bytes > text.size()) return 1;
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0U) != 0x80U) return 1;
  }
  return bytes;
}

// The number of a character of UTF-8, or of a single byte.
std::uint32_t NumberOf(std::string_view character) {
  const auto first = static_cast<unsigned char>(character.front());
  if (character.size() == 1) return first;
  std::uint32_t number = first & (0x7fU >> character.size());
  for (const char byte : character.substr(1)) {
    number = number << 6U | (static_cast<unsigned char>(byte) & 0x3fU);
  }
  return number;
}

struct CharacterRange {
  std::uint32_t first;
  std::uint32_t last;
};

// What takes two columns: East Asian Width W and F of https://www.unicode.org/reports/tr11, whole
// blocks where almost all of a block is so, and of emoji those that messages have most.
constexpr CharacterRange kWide[] = {{0x1100, 0x115f},   {0x26a1, 0x26a1},   {0x2705, 0x2705},
                                    {0x274c, 0x274c},   {0x2b50, 0x2b50},   {0x2e80, 0x303e},
                                    {0x3041, 0x33ff},   {0x3400, 0x4dbf},   {0x4e00, 0xa4cf},
                                    {0xa960, 0xa97c},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},
                                    {0xfe30, 0xfe6f},   {0xff01, 0xff60},   {0xffe0, 0xffe6},
                                    {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f7e0, 0x1f7eb},
                                    {0x1f900, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd}};

// How many columns a character takes: none if it is U+0300 to U+036F, a combining diacritical mark.
std::size_t ColumnsOf(std::string_view character) {
  const std::uint32_t number = NumberOf(character);
  if (character.size() == 1) return 1;
  if (number >= 0x300 && number <= 0x36f) return 0;
  const bool is_wide = std::ranges::any_of(kWide, [number](const CharacterRange& range) {
    return number >= range.first && number <= range.last;
  });
  return is_wide ? 2 : 1;
}

// The start of `text` that takes so many columns at most, with the marks that belong to its end.
std::string_view Start(std::string_view text, std::size_t columns) {
  std::size_t end = 0;
  while (end < text.size()) {
    const std::size_t bytes = BytesOfCharacter(text.substr(end));
    const std::size_t width = ColumnsOf(text.substr(end, bytes));
    if (width > columns) break;
    columns -= width;
    end += bytes;
  }
  return text.substr(0, end);
}

}  // namespace

Terminal TerminalOf(bool is_terminal, std::size_t columns, const kube::Environment& environment) {
  if (!is_terminal) return {};
  const std::string kind = environment("TERM");
  const std::size_t named = NumberIn(environment("COLUMNS"));
  return {.colour = environment("NO_COLOR").empty() && !kind.empty() && kind != "dumb",
          .width = named > 0 ? named : columns};
}

Terminal StandardOutput() {
  winsize size{};
  const bool is_terminal = isatty(STDOUT_FILENO) == 1;
  if (is_terminal) ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
  return TerminalOf(is_terminal, size.ws_col, kube::ProcessEnvironment());
}

std::string Painted(std::string_view text, Tone tone, const Terminal& terminal) {
  if (!terminal.colour || tone == Tone::kPlain || text.empty()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", CodeOf(tone), text);
}

std::size_t WidthOf(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const std::size_t bytes = BytesOfCharacter(text);
    width += ColumnsOf(text.substr(0, bytes));
    text.remove_prefix(bytes);
  }
  return width;
}

std::string CutTo(std::string_view text, std::size_t columns) {
  if (WidthOf(text) <= columns) return std::string(text);
  return std::string(Start(text, columns - 1)) + "…";
}

std::string Printable(std::string_view text) {
  std::string printable;
  printable.reserve(text.size());
  while (!text.empty()) {
    if (const std::size_t invisible = model::InvisibleBytes(text)) {
      text.remove_prefix(invisible);
      continue;
    }
    const std::size_t bytes = BytesOfCharacter(text);
    const auto first = static_cast<unsigned char>(text.front());
    // C0, DEL, and in UTF-8 the C1 characters U+0080 to U+009F, of which one begins commands, too.
    const bool is_control = bytes == 1
                                ? first < 0x20 || first >= 0x7f
                                : first == 0xc2 && static_cast<unsigned char>(text[1]) < 0xa0;
    if (is_control) {
      printable += ' ';
    } else {
      printable += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return printable;
}

std::string PrintableLines(std::string_view text) {
  std::string lines;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    lines += Printable(text.substr(0, end)) + '\n';
    text.remove_prefix(end + 1);
  }
  return lines + Printable(text);
}

}  // namespace berth::cli
