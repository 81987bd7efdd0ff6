#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace berth::model {

// How annotations are written that users give to pods.

/// Without the spaces around it.
std::string_view Trim(std::string_view text);

/// Items of one list that are read; no catalogue has so many models.
inline constexpr std::size_t kMaxListItems = 1'000;

/// The items of a comma-separated list, trimmed; empty ones say nothing and are left out, and so is
/// what stands behind kMaxListItems of them.
std::vector<std::string_view> SplitList(std::string_view text);

}  // namespace berth::model
