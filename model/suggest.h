#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::model {

/// Returns the candidate that `word` was probably meant to be: the nearest one, if no more than a
/// third of the letters (at least one) have to change. Of equally near candidates, the first wins.
/// Characters that are easily confused (upper and lower case; O and 0; I, l and 1) count as half a
/// letter. Returns nullopt if none is near enough, or if `word` is empty or longer than 128 bytes.
std::optional<std::string_view> Suggest(std::string_view word,
                                        const std::vector<std::string_view>& candidates);

/// Returns "; did you mean X?" to append to an error, or "" if Suggest() finds none:
///
///   DidYouMean("conditons", {"conditions", "taints"})  // "; did you mean conditions?"
///   DidYouMean("pods", {"conditions", "taints"})       // ""
std::string DidYouMean(std::string_view word, const std::vector<std::string_view>& candidates);

/// Returns "a, b, c".
std::string Join(const std::vector<std::string_view>& words);

/// Returns the same for a message in which a long list would hide the rest: of more than eight
/// words only the first eight, "a, b, c, d, e, f, g, h and 14 more".
std::string JoinSome(std::vector<std::string_view> words);

}  // namespace berth::model
