#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace berth::board {

/// Returns a parameter of the query in `target`, without its escapes. Empty if there is none or if
/// an escape is broken; the first if there are several.
std::string ParameterOf(std::string_view target, std::string_view name);

/// The same as a decimal number; 0 if it is none.
std::uint64_t NumberOf(std::string_view target, std::string_view name);

}  // namespace berth::board
