#include "admission/template_counts.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "admission/json_pointer.h"

namespace berth::admission {

namespace {

using policies::admission::TemplateSpec;
using simdjson::dom::element;

constexpr std::int64_t kMostPods = std::numeric_limits<std::int32_t>::max();

// The tokens of a pointer, as they are escaped in it.
std::vector<std::string_view> TokensOf(std::string_view pointer) {
  std::vector<std::string_view> tokens;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    tokens.push_back(pointer.substr(0, pointer.find('/')));
    pointer.remove_prefix(tokens.back().size());
  }
  return tokens;
}

// Returns `pointer` with the members of `place` that each "*" of `path` stands for.
std::string BesideTemplate(std::string_view pointer, std::string_view path,
                           std::string_view place) {
  const auto in_path = TokensOf(path);
  const auto in_place = TokensOf(place);
  std::vector<std::string_view> members;
  for (std::size_t i = 0; i < std::min(in_path.size(), in_place.size()); ++i) {
    if (in_path[i] == "*") members.push_back(in_place[i]);
  }
  std::string result;
  std::size_t next = 0;
  for (std::string_view token : TokensOf(pointer)) {
    if (token == "*" && next < members.size()) token = members[next++];
    result += '/';
    result += token;
  }
  return result;
}

std::int64_t NumberAt(element object, const std::string& pointer) {
  element value;
  if (object.at_pointer(pointer).get(value) != simdjson::SUCCESS || value.is_null()) return 1;
  std::int64_t number = 0;
  if (value.get(number) != simdjson::SUCCESS) return 0;
  return std::clamp<std::int64_t>(number, 0, kMostPods);
}

bool IsThere(element value, std::string_view wanted) {
  std::string_view text;
  bool flag = false;
  if (!wanted.empty() && value.get(flag) == simdjson::SUCCESS) {
    return wanted == (flag ? "true" : "false");
  }
  if (!wanted.empty()) return value.get(text) == simdjson::SUCCESS && text == wanted;
  simdjson::dom::array items;
  if (value.get(items) == simdjson::SUCCESS) return items.size() > 0;
  return !value.is_null();
}

// Whether one of the values at the pointer is there, and is `wanted` unless that is empty.
bool IsAnyThere(element value, std::string_view pointer, std::string_view wanted) {
  if (pointer.empty()) return IsThere(value, wanted);
  pointer.remove_prefix(1);
  const std::string_view token = pointer.substr(0, pointer.find('/'));
  const std::string_view rest = pointer.substr(token.size());
  const std::string name = UnescapeToken(token);
  simdjson::dom::object object;
  simdjson::dom::array array;
  if (value.get(object) == simdjson::SUCCESS) {
    for (const auto [key, member] : object) {
      if ((token == "*" || key == name) && IsAnyThere(member, rest, wanted)) return true;
    }
  } else if (value.get(array) == simdjson::SUCCESS) {
    std::size_t index = 0;
    for (const element item : array) {
      const bool is_on_way = token == "*" || std::to_string(index) == name;
      if (is_on_way && IsAnyThere(item, rest, wanted)) return true;
      ++index;
    }
  }
  return false;
}

}  // namespace

TemplateCounts CountsOf(element object, const TemplateSpec& spec, std::string_view place) {
  TemplateCounts counts;
  for (const std::string& pointer : spec.replicas) {
    const std::int64_t number = NumberAt(object, BesideTemplate(pointer, spec.path, place));
    counts.replicas = std::min(kMostPods, counts.replicas.value_or(1) * number);
  }
  if (!spec.gang_size.empty()) {
    counts.gang_size = NumberAt(object, BesideTemplate(spec.gang_size, spec.path, place));
  }
  return counts;
}

bool StartsInTurn(element object, const TemplateSpec& spec) {
  return std::ranges::any_of(spec.in_turn, [object](std::string_view condition) {
    const std::size_t equals = std::min(condition.find('='), condition.size());
    const std::string_view pointer = condition.substr(0, equals);
    condition.remove_prefix(std::min(equals + 1, condition.size()));
    return IsAnyThere(object, pointer, condition);
  });
}

}  // namespace berth::admission
