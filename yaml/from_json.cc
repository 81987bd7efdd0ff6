#include "yaml/from_json.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "yaml/scalar.h"

namespace berth::yaml {

namespace {

using Json = nlohmann::ordered_json;

// YAML 1.1 has more words for booleans (https://yaml.org/type/bool.html), and many readers still
// know them. It also has numbers of other bases than 10, with underscores and colons, and dates:
// everything that begins like a number is put in quotes.
bool IsPlainText(const std::string& text) {
  constexpr std::string_view kBooleans[] = {"y", "n", "yes", "no", "on", "off"};
  if (TypeOfPlain(text) != YamlType::kText) return false;
  if (std::string_view("0123456789+-.=<").find(text.front()) != std::string_view::npos) {
    return false;
  }
  std::string lower = text;
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : static_cast<char>(c);
  });
  return std::ranges::find(kBooleans, lower) == std::end(kBooleans);
}

void EmitText(const std::string& text, YAML::Emitter& out) {
  if (!IsPlainText(text)) out << YAML::DoubleQuoted;
  out << text;
}

void EmitJson(const Json& value, YAML::Emitter& out) {
  switch (value.type()) {
    case Json::value_t::object:
      if (value.empty()) out << YAML::Flow;
      out << YAML::BeginMap;
      for (const auto& [key, member] : value.items()) {
        out << YAML::Key;
        EmitText(key, out);
        out << YAML::Value;
        EmitJson(member, out);
      }
      out << YAML::EndMap;
      break;
    case Json::value_t::array:
      if (value.empty()) out << YAML::Flow;
      out << YAML::BeginSeq;
      for (const Json& item : value) EmitJson(item, out);
      out << YAML::EndSeq;
      break;
    case Json::value_t::string:
      EmitText(value.get_ref<const std::string&>(), out);
      break;
    case Json::value_t::null:
      out << YAML::Null;
      break;
    default:
      // As JSON writes numbers and booleans, YAML does.
      out << value.dump();
  }
}

}  // namespace

std::string YamlFromJson(std::string_view json) {
  YAML::Emitter out;
  out.SetNullFormat(YAML::LowerNull);
  EmitJson(Json::parse(json), out);
  return std::string(out.c_str()) + "\n";
}

}  // namespace berth::yaml
