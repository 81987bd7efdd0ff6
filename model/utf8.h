#pragma once

#include <cstddef>
#include <string>
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

/// `text`, or of one with more than `bytes` bytes, at least 3, the beginning and "...", which have
/// at most as many together, without cutting a character of UTF-8.
inline std::string Shortened(std::string_view text, std::size_t bytes) {
  constexpr std::string_view kMark = "...";
  if (text.size() <= bytes) return std::string(text);
  return std::string(WholeCharacters(text, bytes - kMark.size())).append(kMark);
}

/// How many bytes the character has that the text begins with, if nobody can see it, or if it
/// breaks lines or changes the direction of what follows; otherwise 0. Whoever may write a name
/// could make it look like another one. These are U+00AD, U+061C, U+115F, U+1160, U+180E, U+200B to
/// U+200F, U+2028 to U+202E, U+2060 to U+206F, U+3164, U+FEFF, and U+E0000 to U+E007F.
constexpr std::size_t InvisibleBytes(std::string_view text) {
  // None of them begins with a lesser byte, and nearly all characters that are asked about are
  // ASCII.
  if (text.empty() || static_cast<unsigned char>(text.front()) < 0xc2) return 0;
  const auto begins = [text](std::string_view first, unsigned char least, unsigned char most) {
    if (text.size() <= first.size() || !text.starts_with(first)) return false;
    const auto last = static_cast<unsigned char>(text[first.size()]);
    return last >= least && last <= most;
  };
  if (begins("\xc2", 0xad, 0xad) || begins("\xd8", 0x9c, 0x9c)) return 2;
  if (begins("\xe1\x85", 0x9f, 0xa0) || begins("\xe1\xa0", 0x8e, 0x8e) ||
      begins("\xe2\x80", 0x8b, 0x8f) || begins("\xe2\x80", 0xa8, 0xae) ||
      begins("\xe2\x81", 0xa0, 0xaf) || begins("\xe3\x85", 0xa4, 0xa4) ||
      begins("\xef\xbb", 0xbf, 0xbf)) {
    return 3;
  }
  if (begins("\xf3\xa0\x80", 0x80, 0xbf) || begins("\xf3\xa0\x81", 0x80, 0xbf)) return 4;
  return 0;
}

}  // namespace berth::model
