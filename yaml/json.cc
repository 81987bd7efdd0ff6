#include "yaml/json.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "yaml/scalar.h"

namespace berth::yaml {

namespace {

using Json = nlohmann::ordered_json;

// Numbers that JSON or 64 bits cannot represent stay text.
Json IntegerOf(const std::string& text) {
  const bool is_prefixed = text.starts_with("0x") || text.starts_with("0o");
  std::string_view digits = text;
  if (is_prefixed) digits.remove_prefix(2);
  if (digits.starts_with('+')) digits.remove_prefix(1);
  const int base = !is_prefixed ? 10 : text[1] == 'x' ? 16 : 8;
  std::int64_t value = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  return result.ec == std::errc() ? Json(value) : Json(text);
}

Json FloatOf(const std::string& text) {
  const double value = text.find_first_of("nN") == std::string::npos
                           ? std::strtod(text.c_str(), nullptr)
                           : std::nan("");
  return std::isfinite(value) ? Json(value) : Json(text);
}

Json ValueOf(const YAML::Node& node) {
  switch (TypeOf(node)) {
    case YamlType::kNull:
      return nullptr;
    case YamlType::kBool:
      return node.Scalar().front() == 't' || node.Scalar().front() == 'T';
    case YamlType::kInteger:
      return IntegerOf(node.Scalar());
    case YamlType::kFloat:
      return FloatOf(node.Scalar());
    case YamlType::kText:
      return node.Scalar();
    case YamlType::kList: {
      Json list = Json::array();
      for (const YAML::Node& item : node) list.push_back(ValueOf(item));
      return list;
    }
    case YamlType::kMap: {
      Json map = Json::object();
      // A document of ParseYaml() has each key once. To look for each among those before it, as
      // operator[] does, would take quadratic time.
      auto& members = map.get_ref<Json::object_t&>();
      members.reserve(node.size());
      for (const auto& entry : node) {
        members.emplace_back(entry.first.Scalar(), ValueOf(entry.second));
      }
      return map;
    }
  }
  return nullptr;
}

}  // namespace

std::string JsonTextOf(const YAML::Node& node) {
  return ValueOf(node).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace berth::yaml
