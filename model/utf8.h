#pragma once

#include <cstddef>
#include <string_view>

namespace berth::model {

/// The longest beginning of a text that has at most `bytes` bytes and does not end inside a
/// character of UTF-8. Of a text that is not UTF-8, it may have fewer bytes than it could. Valid as
/// long as the text.
constexpr std::string_view WholeCharacters(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  const auto is_inside = [&text](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U;
  };
  std::size_t end = bytes;
  while (end > 0 && is_inside(end)) --end;
  return text.substr(0, end);
}

/// The bytes of U+200B to U+200F, U+2028 to U+202E, U+2060 to U+206F and U+FEFF.
inline constexpr std::size_t kInvisibleBytes = 3;

/// Whether the text begins with one of these characters, which are invisible, break lines or change
/// the direction of what follows. Whoever may write a name could make it look like another one.
constexpr bool BeginsInvisible(std::string_view text) {
  if (text.size() < kInvisibleBytes) return false;
  const auto at = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (at(0) == 0xef) return at(1) == 0xbb && at(2) == 0xbf;
  if (at(0) != 0xe2) return false;
  if (at(1) == 0x80) return (at(2) >= 0x8b && at(2) <= 0x8f) || (at(2) >= 0xa8 && at(2) <= 0xae);
  return at(1) == 0x81 && at(2) >= 0xa0 && at(2) <= 0xaf;
}

}  // namespace berth::model
