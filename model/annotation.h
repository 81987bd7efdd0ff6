#pragma once

#include <string_view>
#include <vector>

namespace berth::model {

// How annotations are written that users give to pods.

/// Without the spaces around it.
std::string_view Trim(std::string_view text);

/// The items of a comma-separated list, trimmed; empty ones say nothing and are left out.
std::vector<std::string_view> SplitList(std::string_view text);

}  // namespace berth::model
