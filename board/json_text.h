#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace berth::board {

/// JSON for the page. Bytes that are not UTF-8, which conditions and names may contain, are
/// replaced.
inline std::string TextOf(const nlohmann::json& json) {
  return json.dump(-1, ' ', /*ensure_ascii=*/false, nlohmann::json::error_handler_t::replace);
}

}  // namespace berth::board
