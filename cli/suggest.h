#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::cli {

/// The candidate that `word` was probably meant to be: the nearest one, if no more than a third of
/// the word (at least one letter) has to change. Upper and lower case count as half a letter.
std::optional<std::string_view> Suggest(std::string_view word,
                                        const std::vector<std::string_view>& candidates);

/// "; did you mean X?", or nothing where no candidate is near.
std::string DidYouMean(std::string_view word, const std::vector<std::string_view>& candidates);

/// "a, b, c".
std::string Join(const std::vector<std::string_view>& words);

}  // namespace berth::cli
