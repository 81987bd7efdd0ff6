#include "model/suggest.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace berth::model {

namespace {

// Distances in halves of a letter.
constexpr std::size_t kLetter = 2;
constexpr std::size_t kLookalike = 1;

// Longer words are not typing errors, and a comparison takes time in proportion to the product of
// both lengths.
constexpr std::size_t kMaxLength = 128;

// Returns the same character for all that are confused with each other: upper and lower case; O and
// 0; I, l and 1.
char Likeness(char c) {
  const char lower = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (lower == 'o') return '0';
  return lower == 'i' || lower == 'l' ? '1' : lower;
}

std::size_t Exchange(char a, char b) {
  if (a == b) return 0;
  return Likeness(a) == Likeness(b) ? kLookalike : kLetter;
}

// Returns the Levenshtein distance, computed row by row.
std::size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = j * kLetter;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = (i + 1) * kLetter;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t exchanged = diagonal + Exchange(a[i], b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({exchanged, row[j] + kLetter, row[j + 1] + kLetter});
    }
  }
  return row.back();
}

}  // namespace

std::optional<std::string_view> Suggest(std::string_view word,
                                        const std::vector<std::string_view>& candidates) {
  if (word.empty() || word.size() > kMaxLength) return std::nullopt;
  std::size_t nearest = std::max<std::size_t>(1, word.size() / 3) * kLetter + 1;
  std::optional<std::string_view> best;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = Distance(word, candidate);
    if (distance >= nearest) continue;
    nearest = distance;
    best = candidate;
  }
  return best;
}

std::string DidYouMean(std::string_view word, const std::vector<std::string_view>& candidates) {
  const auto suggestion = Suggest(word, candidates);
  return suggestion ? "; did you mean " + std::string(*suggestion) + "?" : "";
}

std::string Join(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) {
    if (!text.empty()) text += ", ";
    text += word;
  }
  return text;
}

std::string JoinSome(std::vector<std::string_view> words) {
  constexpr std::size_t kSome = 8;
  if (words.size() <= kSome) return Join(words);
  const std::size_t more = words.size() - kSome;
  words.resize(kSome);
  return Join(words) + " and " + std::to_string(more) + " more";
}

}  // namespace berth::model
