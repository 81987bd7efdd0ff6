#include "config/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <type_traits>

#include "model/duration.h"
#include "model/namespaced_name.h"

namespace berth::config {

namespace {

using Kind = ConfigValue::Kind;

ConfigValue Scalar(Kind kind, std::string text) {
  ConfigValue value;
  value.kind = kind;
  value.scalar = std::move(text);
  return value;
}

void DescribeValue(bool value, ConfigField& field) {
  field.shape = ConfigType::kBool;
  field.type = "true or false";
  field.value = Scalar(Kind::kPlain, value ? "true" : "false");
}

void DescribeValue(std::int32_t value, ConfigField& field) {
  field.shape = ConfigType::kInteger;
  field.type = "whole number";
  field.value = Scalar(Kind::kPlain, fmt::format("{}", value));
}

void DescribeValue(double value, ConfigField& field) {
  field.shape = ConfigType::kNumber;
  field.type = "number";
  field.value = Scalar(Kind::kPlain, fmt::format("{}", value));
}

void DescribeValue(const std::string& value, ConfigField& field) {
  field.shape = ConfigType::kText;
  field.type = "text";
  field.value = Scalar(Kind::kText, value);
}

void DescribeValue(model::Duration value, ConfigField& field) {
  field.shape = ConfigType::kDuration;
  field.type = "duration";
  field.value = Scalar(Kind::kText, model::FormatDuration(value));
}

void DescribeValue(const std::optional<model::Duration>& value, ConfigField& field) {
  DescribeValue(value.value_or(model::Duration(0)), field);
  if (!value) field.value = {};
}

void DescribeValue(const model::NamespacedName& value, ConfigField& field) {
  field.shape = ConfigType::kText;
  field.type = "namespace/name";
  field.value = Scalar(Kind::kText, value.text());
}

void DescribeValue(const std::optional<model::Quantity>& value, ConfigField& field) {
  field.shape = ConfigType::kQuantity;
  field.type = "quantity";
  if (value) field.value = Scalar(Kind::kText, value->text());
}

template <typename T>
void DescribeEnum(T value, ConfigField& field) {
  const auto names = EnumNames(value);
  field.shape = ConfigType::kWord;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) field.type += i + 1 == names.size() ? " or " : ", ";
    field.type += names[i].name;
    field.words.emplace_back(names[i].name);
    if (names[i].value == value) field.value = Scalar(Kind::kText, std::string(names[i].name));
  }
}

template <typename T>
std::vector<ConfigField> DescribeFields(T value);

ConfigValue MapOf(const std::vector<ConfigField>& fields) {
  ConfigValue map;
  map.kind = Kind::kMap;
  for (const ConfigField& field : fields) map.members.emplace_back(field.key, field.value);
  return map;
}

template <typename T>
void DescribeAny(const T& value, ConfigField& field) {
  if constexpr (requires { DescribeValue(value, field); }) {
    DescribeValue(value, field);
  } else if constexpr (std::is_enum_v<T>) {
    DescribeEnum(value, field);
  } else {
    field.shape = ConfigType::kMap;
    field.type = "map";
    field.fields = DescribeFields(value);
    field.value = MapOf(field.fields);
  }
}

// `map` and `defaults` have the members of the same struct in the same order.
void LeaveOutDefaults(ConfigValue& map, const std::vector<ConfigField>& defaults) {
  std::vector<std::pair<std::string, ConfigValue>> kept;
  for (std::size_t i = 0; i < map.members.size(); ++i) {
    if (!defaults[i].required && map.members[i].second == defaults[i].value) continue;
    kept.push_back(std::move(map.members[i]));
  }
  map.members = std::move(kept);
}

template <typename T>
void DescribeAny(const std::vector<T>& values, ConfigField& field) {
  ConfigField entry;
  DescribeAny(T{}, entry);
  field.shape = entry.shape;
  field.words = std::move(entry.words);
  field.type = "list of " + (entry.type == "map" ? "maps" : entry.type);
  field.fields = std::move(entry.fields);
  field.value.kind = Kind::kList;
  for (const T& value : values) {
    ConfigField item;
    DescribeAny(value, item);
    if (item.value.kind == Kind::kMap) LeaveOutDefaults(item.value, field.fields);
    field.value.items.push_back(std::move(item.value));
  }
}

// The visitor that collects the fields of a struct.
struct Describer {
  std::vector<ConfigField> fields{};

  template <typename T>
  void operator()(std::string_view key, T& value, std::string_view help) {
    ConfigField field;
    field.key = key;
    field.help = help;
    DescribeAny(value, field);
    fields.push_back(std::move(field));
  }

  template <typename T>
  void Required(std::string_view key, T& value, std::string_view help) {
    (*this)(key, value, help);
    fields.back().required = true;
  }
};

template <typename T>
std::vector<ConfigField> DescribeFields(T value) {
  Describer describer;
  VisitFields(describer, value);
  return std::move(describer.fields);
}

}  // namespace

std::vector<ConfigField> Describe(BerthConfiguration config) {
  return DescribeFields(std::move(config));
}

}  // namespace berth::config
