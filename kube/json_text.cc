#include "kube/json_text.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <system_error>

namespace berth::kube {
namespace {

enum class Mark : std::uint8_t { kNone, kQuote, kOpen, kClose, kComma };

constexpr std::array<Mark, 256> kMarks = [] {
  std::array<Mark, 256> marks{};
  marks['"'] = Mark::kQuote;
  marks['{'] = marks['['] = Mark::kOpen;
  marks['}'] = marks[']'] = Mark::kClose;
  marks[','] = Mark::kComma;
  return marks;
}();

Mark MarkOf(char c) { return kMarks[static_cast<unsigned char>(c)]; }

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

std::size_t EndOfBlanks(std::string_view text, std::size_t begin) {
  while (begin < text.size() && IsBlank(text[begin])) ++begin;
  return begin;
}

// Returns the position after the quote that ends the string whose first quote is at `begin`, or the
// end of the text.
std::size_t EndOfString(std::string_view text, std::size_t begin) {
  std::size_t quote = begin;
  while ((quote = text.find('"', quote + 1)) != std::string_view::npos) {
    std::size_t backslashes = 0;
    while (text[quote - 1 - backslashes] == '\\') ++backslashes;  // stops at the first quote
    if (backslashes % 2 == 0) return quote + 1;
  }
  return text.size();
}

// Returns the position of the bracket that closes the one at `begin`, or npos.
std::size_t ClosingBracket(std::string_view text, std::size_t begin) {
  std::size_t depth = 0;
  for (std::size_t at = begin; at < text.size();) {
    const Mark mark = MarkOf(text[at]);
    if (mark == Mark::kQuote) {
      at = EndOfString(text, at);
      continue;
    }
    if (mark == Mark::kOpen) ++depth;
    if (mark == Mark::kClose && --depth == 0) return at;
    ++at;
  }
  return std::string_view::npos;
}

// Returns the position after the bracket that closes the one at `begin`, or the end of the text.
std::size_t EndOfBrackets(std::string_view text, std::size_t begin) {
  const std::size_t closing = ClosingBracket(text, begin);
  return closing == std::string_view::npos ? text.size() : closing + 1;
}

// Returns the position after a number, true, false or null, or anything else in place of one.
std::size_t EndOfScalar(std::string_view text, std::size_t begin) {
  std::size_t at = begin;
  while (at < text.size() && MarkOf(text[at]) == Mark::kNone && !IsBlank(text[at]) &&
         text[at] != ':') {
    ++at;
  }
  return at;
}

std::size_t EndOfValue(std::string_view text, std::size_t begin) {
  if (begin == text.size()) return begin;
  switch (MarkOf(text[begin])) {
    case Mark::kQuote:
      return EndOfString(text, begin);
    case Mark::kOpen:
      return EndOfBrackets(text, begin);
    default:
      return EndOfScalar(text, begin);
  }
}

constexpr std::size_t kEscapeBytes = 6;

// Whether `text` begins with the escape \uXXXX of the ASCII character `c`.
bool IsEscapeOf(char c, std::string_view text) {
  if (text.size() < kEscapeBytes) return false;
  unsigned code = 0;
  const char* const end = text.data() + kEscapeBytes;
  const auto [stop, error] = std::from_chars(text.data() + 2, end, code, 16);
  return error == std::errc() && stop == end && code == static_cast<unsigned char>(c);
}

}  // namespace

std::size_t CountValues(std::string_view text, std::size_t enough) {
  std::size_t values = 1;
  for (std::size_t at = 0; at < text.size() && values <= enough;) {
    const Mark mark = MarkOf(text[at]);
    if (mark == Mark::kQuote) {
      at = EndOfString(text, at);
      continue;
    }
    ++at;
    // An object or array has one value more than commas, or is empty.
    const bool empty = at < text.size() && MarkOf(text[at]) == Mark::kClose;
    if (mark == Mark::kComma || (mark == Mark::kOpen && !empty)) ++values;
  }
  return values;
}

bool HasMoreValues(std::string_view text, std::size_t most) {
  return text.size() > most && CountValues(text, most) > most;
}

bool EndsEarly(std::string_view text) {
  const std::size_t begin = EndOfBlanks(text, 0);
  return begin < text.size() && MarkOf(text[begin]) == Mark::kOpen &&
         ClosingBracket(text, begin) == std::string_view::npos;
}

std::string WithoutMembers(std::string_view text, std::string_view name) {
  std::string result;
  std::size_t taken = 0;  // how much of the text is in `result`, or left out of it
  for (std::size_t at = 0; at < text.size();) {
    if (MarkOf(text[at]) != Mark::kQuote) {
      ++at;
      continue;
    }
    const std::size_t key = at;
    at = EndOfString(text, key);
    if (!JsonText(text.substr(key, at - key)).Spells(name)) continue;
    const std::size_t colon = EndOfBlanks(text, at);
    if (colon == text.size() || text[colon] != ':') continue;
    const std::size_t value = EndOfBlanks(text, colon + 1);
    result.append(text.substr(taken, value - taken)).append("null");
    at = taken = EndOfValue(text, value);
  }
  return result.append(text.substr(taken));
}

JsonText::JsonText(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  text_ = text;
}

std::optional<std::string_view> JsonText::PlainString() const {
  if (text_.size() < 2 || text_.front() != '"' || text_.back() != '"') return std::nullopt;
  const std::string_view content = text_.substr(1, text_.size() - 2);
  if (content.find_first_of("\\\"") != std::string_view::npos) return std::nullopt;
  return content;
}

bool JsonText::Spells(std::string_view name) const {
  if (const auto plain = PlainString()) return *plain == name;
  if (text_.size() < 2 || text_.front() != '"' || text_.back() != '"') return false;
  std::string_view left = text_.substr(1, text_.size() - 2);
  for (const char c : name) {
    const bool escaped = left.starts_with("\\u");
    if (escaped ? !IsEscapeOf(c, left) : !left.starts_with(c)) return false;
    left.remove_prefix(escaped ? kEscapeBytes : 1);
  }
  return left.empty();
}

std::optional<JsonText> JsonText::Member(std::string_view name) const {
  std::optional<JsonText> found;
  ForEachMember([&](const JsonText& key, const JsonText& value) {
    if (!key.Spells(name)) return true;
    if (!value.IsNull()) found = value;
    return false;
  });
  return found;
}

bool JsonText::Cursor::Take(char mark) {
  SkipBlanks();
  if (at_ == text_.size() || text_[at_] != mark) return false;
  ++at_;
  return true;
}

std::string_view JsonText::Cursor::Value() {
  SkipBlanks();
  const std::size_t begin = at_;
  at_ = EndOfValue(text_, begin);
  return text_.substr(begin, at_ - begin);
}

bool JsonText::Cursor::AtEnd() {
  SkipBlanks();
  return at_ == text_.size();
}

void JsonText::Cursor::SkipBlanks() { at_ = EndOfBlanks(text_, at_); }

}  // namespace berth::kube
