#pragma once

#include <random>
#include <string>
#include <string_view>

namespace berth::tests {

/// `text` after some characters were flipped, removed, doubled or inserted.
inline std::string Damage(std::string text, std::mt19937& random) {
  using std::literals::operator""sv;
  constexpr std::string_view kAwkward = ":-[]{}&*!|>'\"#%@`,?\n\t \\\x00\xff"sv;
  const auto below = [&](std::size_t end) { return random() % end; };
  for (std::size_t edits = 1 + below(4); edits > 0 && !text.empty(); --edits) {
    const std::size_t at = below(text.size());
    switch (below(4)) {
      case 0:
        text[at] = kAwkward[below(kAwkward.size())];
        break;
      case 1:
        text.erase(at, 1 + below(20));
        break;
      case 2:
        text.insert(at, text.substr(at, 1 + below(40)));
        break;
      default:
        text.insert(at, 1, kAwkward[below(kAwkward.size())]);
    }
  }
  return text;
}

}  // namespace berth::tests
