#include "config/json_schema.h"

#include <nlohmann/json.hpp>
#include <vector>

#include "config/schema.h"

namespace berth::config {

namespace {

using Json = nlohmann::ordered_json;
using Kind = ConfigValue::Kind;

constexpr char kDialect[] = "http://json-schema.org/draft-07/schema#";
constexpr char kDuration[] =
    "^([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)"
    "(([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))*$|^0$";
// A number without a suffix may be written without quotes.
constexpr char kQuantity[] =
    "^[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)"
    "([eE][+-]?[0-9]+|[numkMGTPE]|[KMGTPE]i)?$";

Json ObjectOf(const std::vector<ConfigField>& fields);

Json ValueOf(const ConfigField& field) {
  switch (field.shape) {
    case ConfigType::kBool:
      return {{"type", "boolean"}};
    case ConfigType::kInteger:
      return {{"type", "integer"}};
    case ConfigType::kNumber:
      return {{"type", "number"}};
    case ConfigType::kText:
      return {{"type", "string"}};
    case ConfigType::kDuration:
      return {{"type", "string"}, {"pattern", kDuration}};
    case ConfigType::kQuantity:
      return {{"type", {"string", "number"}}, {"pattern", kQuantity}};
    case ConfigType::kWord:
      return {{"enum", field.words}};
    case ConfigType::kMap:
      return ObjectOf(field.fields);
  }
  return Json::object();
}

Json SchemaOf(const ConfigField& field) {
  Json schema = {{"description", field.help + "."}};
  const bool is_list = field.value.kind == Kind::kList;
  schema.update(is_list ? Json{{"type", "array"}, {"items", ValueOf(field)}} : ValueOf(field));
  if (field.required) return schema;
  if (field.value.kind == Kind::kPlain) schema["default"] = Json::parse(field.value.scalar);
  if (field.value.kind == Kind::kText) schema["default"] = field.value.scalar;
  return schema;
}

Json ObjectOf(const std::vector<ConfigField>& fields) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const ConfigField& field : fields) {
    properties[field.key] = SchemaOf(field);
    if (field.required) required.push_back(field.key);
  }
  Json schema = {
      {"type", "object"}, {"additionalProperties", false}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

// At present there is only one version and one kind.
void PinFormat(Json& schema) {
  for (const char* key : {"apiVersion", "kind"}) {
    Json& property = schema["properties"][key];
    property["const"] = key == std::string_view("kind") ? kConfigKind : kConfigApiVersion;
  }
}

}  // namespace

std::string ConfigJsonSchema() {
  Json schema = {{"$schema", kDialect}, {"title", std::string(kConfigKind)}};
  schema.update(ObjectOf(Describe({})));
  PinFormat(schema);
  return schema.dump(2) + "\n";
}

}  // namespace berth::config
