#include "yaml/scalar.h"

#include <algorithm>
#include <string>

namespace berth::yaml {

namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsOctal(char c) { return c >= '0' && c <= '7'; }
bool IsHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

bool All(std::string_view text, bool (*is)(char)) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is);
}

bool IsOneOf(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

std::string_view WithoutSign(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return text;
}

bool IsInteger(std::string_view text) {
  if (text.starts_with("0o")) return All(text.substr(2), IsOctal);
  if (text.starts_with("0x")) return All(text.substr(2), IsHex);
  return All(WithoutSign(text), IsDigit);
}

// (\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
bool IsDecimal(std::string_view text) {
  const std::size_t exponent = text.find_first_of("eE");
  if (exponent != std::string_view::npos && !All(WithoutSign(text.substr(exponent + 1)), IsDigit)) {
    return false;
  }
  const std::string_view mantissa = text.substr(0, exponent);
  const std::size_t point = mantissa.find('.');
  if (point == std::string_view::npos) return All(mantissa, IsDigit);
  const std::string_view whole = mantissa.substr(0, point);
  const std::string_view fraction = mantissa.substr(point + 1);
  if (whole.empty()) return All(fraction, IsDigit);
  return All(whole, IsDigit) && (fraction.empty() || All(fraction, IsDigit));
}

bool IsFloat(std::string_view text) {
  if (IsOneOf(text, {".nan", ".NaN", ".NAN"})) return true;
  const std::string_view unsigned_text = WithoutSign(text);
  return IsOneOf(unsigned_text, {".inf", ".Inf", ".INF"}) || IsDecimal(unsigned_text);
}

}  // namespace

YamlType TypeOfPlain(std::string_view text) {
  if (IsOneOf(text, {"", "~", "null", "Null", "NULL"})) return YamlType::kNull;
  if (IsOneOf(text, {"true", "True", "TRUE", "false", "False", "FALSE"})) return YamlType::kBool;
  if (IsInteger(text)) return YamlType::kInteger;
  return IsFloat(text) ? YamlType::kFloat : YamlType::kText;
}

YamlType TypeOf(const YAML::Node& node) {
  if (node.IsMap()) return YamlType::kMap;
  if (node.IsSequence()) return YamlType::kList;
  if (!node.IsScalar()) return YamlType::kNull;
  // yaml-cpp gives quoted scalars the tag "!" and plain ones "?". Scalars with other tags, such as
  // !!str, are treated as text.
  return node.Tag() == "?" ? TypeOfPlain(node.Scalar()) : YamlType::kText;
}

std::string_view Describe(YamlType type) {
  switch (type) {
    case YamlType::kNull:
      return "nothing";
    case YamlType::kBool:
      return "true or false";
    case YamlType::kInteger:
      return "a number";
    case YamlType::kFloat:
      return "a number with a fraction";
    case YamlType::kText:
      return "text";
    case YamlType::kList:
      return "a list";
    case YamlType::kMap:
      return "a map";
  }
  return "";
}

}  // namespace berth::yaml
