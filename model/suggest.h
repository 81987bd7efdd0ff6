#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::model {

/// The candidate that `word` was probably meant to be: the nearest one, if no more than a third of
/// the word (at least one letter) has to change. What is easily taken for each other (upper and
/// lower case; O and 0; I, l and 1) counts as half a letter.
std::optional<std::string_view> Suggest(std::string_view word,
                                        const std::vector<std::string_view>& candidates);

/// "; did you mean X?", or nothing where no candidate is near.
std::string DidYouMean(std::string_view word, const std::vector<std::string_view>& candidates);

/// "a, b, c".
std::string Join(const std::vector<std::string_view>& words);

}  // namespace berth::model
