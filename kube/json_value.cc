#include "kube/json_value.h"

#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "fmt/format.h"
#include "kube/field_values.h"

namespace berth::kube {
namespace {

using simdjson::dom::element_type;

std::string_view TypeName(element_type type) {
  switch (type) {
    case element_type::ARRAY:
      return "array";
    case element_type::OBJECT:
      return "object";
    case element_type::STRING:
      return "string";
    case element_type::BOOL:
      return "boolean";
    case element_type::NULL_VALUE:
      return "null";
    default:
      return "number";
  }
}

/// Returns the number as JSON text, the shortest that reads back as the same double. nullopt if
/// `value` is not a number.
std::optional<std::string> NumberText(simdjson::dom::element value) {
  switch (value.type()) {
    case element_type::INT64:
      return fmt::to_string(value.get_int64().value_unsafe());
    case element_type::UINT64:
      return fmt::to_string(value.get_uint64().value_unsafe());
    case element_type::DOUBLE:
      return fmt::to_string(value.get_double().value_unsafe());
    default:
      return std::nullopt;
  }
}

}  // namespace

JsonValue::JsonValue(simdjson::dom::element value, const Path& path, absl::Status& error)
    : path_(path), error_(&error) {
  if (!value.is_null()) value_ = value;
}

JsonValue JsonValue::Field(std::string_view name) const {
  std::optional<simdjson::dom::element> found;
  simdjson::dom::object object;
  if (Get(object, "an object")) {
    for (const auto [key, member] : object) {
      if (key == name) found = member;
    }
  }
  if (found && found->is_null()) found.reset();
  return JsonValue(found, path_.Field(name), error_);
}

std::string_view JsonValue::String() const {
  std::string_view text;
  Get(text, "a string");
  return text;
}

std::int64_t JsonValue::Integer() const {
  std::int64_t number = 0;
  Get(number, "a whole number");
  return number;
}

bool JsonValue::Boolean() const {
  bool truth = false;
  Get(truth, "true or false");
  return truth;
}

std::string JsonValue::Json() const { return absent() ? "" : simdjson::minify(*value_); }

model::StringMap JsonValue::StringMap() const {
  model::StringMap entries;
  ForEachMember([&](std::string_view key, const JsonValue& value) {
    entries.emplace_back(key, value.String());
  });
  model::Normalize(entries);
  return entries;
}

std::optional<std::string_view> JsonValue::QuantityText(std::string& number) const {
  if (absent()) return std::nullopt;
  if (auto text = NumberText(*value_)) {
    number = *std::move(text);
    return number;
  }
  std::string_view text;
  if (!Get(text, "a quantity as string")) return std::nullopt;
  // Quantity.UnmarshalJSON accepts spaces around the text.
  const absl::string_view trimmed =
      absl::StripAsciiWhitespace(absl::string_view(text.data(), text.size()));
  return std::string_view(trimmed.data(), trimmed.size());
}

std::string JsonValue::Name(std::size_t most) const {
  return NameFromText(String(), most, path_, *error_);
}

model::Amount JsonValue::Amount() const {
  std::string number;
  const auto text = QuantityText(number);
  return text ? AmountFromText(*text, path_, *error_) : model::Amount();
}

model::Quantity JsonValue::Quantity() const {
  std::string number;
  const auto text = QuantityText(number);
  return text ? QuantityFromText(*text, path_, *error_) : model::Quantity();
}

model::Time JsonValue::Time() const {
  std::string_view text;
  const bool is_text = !absent() && value_->get(text) == simdjson::SUCCESS;
  return is_text ? TimeFromText(text) : model::kNoTime;
}

void JsonValue::ReportType(std::string_view expected) const {
  Report(fmt::format("expected {}, got {}", expected, TypeName(value_->type())));
}

}  // namespace berth::kube
