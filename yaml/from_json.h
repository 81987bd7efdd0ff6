#pragma once

#include <string>
#include <string_view>

namespace berth::yaml {

/// Returns a JSON document as YAML text, which ends with a line end. Members keep their order. Text
/// that a reader of YAML 1.1 or 1.2 might take for something else, such as "1e3" or "no", is in
/// quotes. Throws std::exception if the text is no JSON.
///
///   {"a": 1, "b": "1", "c": []}  becomes  a: 1
///                                         b: "1"
///                                         c: []
std::string YamlFromJson(std::string_view json);

}  // namespace berth::yaml
