#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace berth::model {

// The syntax of the annotations that users write on pods. All results are views into the argument.

/// Returns `text` without blanks, tabs and line ends at both ends.
std::string_view Trim(std::string_view text);

/// The most items of one list that are read. No catalogue has so many models.
inline constexpr std::size_t kMaxListItems = 1'000;

/// Returns the items of a comma-separated list, trimmed, in their order. Empty items are left out,
/// and so is everything after the first kMaxListItems items.
///
///   SplitList(" A100, ,V100 ")  // {"A100", "V100"}
std::vector<std::string_view> SplitList(std::string_view text);

}  // namespace berth::model
