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

}  // namespace berth::model
