#include "yaml/patch.h"

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "re2/re2.h"

namespace berth::yaml {

namespace {

using Json = nlohmann::ordered_json;
using Pointer = nlohmann::ordered_json::json_pointer;

// The tags of yaml-cpp for scalars with quotes and without.
constexpr const char* kInQuotes = "!";
constexpr const char* kPlain = "?";

// Whether a text without quotes is text in every version of YAML; in 1.1, "y" and "on" are not.
bool IsPlainWord(const std::string& text) {
  static const re2::RE2 word("[A-Za-z][A-Za-z0-9]*[-./_][-./_A-Za-z0-9]*|[A-Z][a-z]+[A-Za-z]*");
  static const re2::RE2 truth("(?i)y|n|yes|no|on|off|true|false|null|nan|inf");
  return re2::RE2::FullMatch(text, word) && !re2::RE2::FullMatch(text, truth);
}

YAML::Node NodeOf(const Json& json) {
  if (json.is_object()) {
    YAML::Node map(YAML::NodeType::Map);
    for (const auto& [key, value] : json.items()) map.force_insert(key, NodeOf(value));
    return map;
  }
  if (json.is_array()) {
    YAML::Node list(YAML::NodeType::Sequence);
    for (const Json& item : json) list.push_back(NodeOf(item));
    return list;
  }
  if (json.is_null()) return YAML::Node(YAML::NodeType::Null);
  const bool is_text = json.is_string();
  YAML::Node scalar(is_text ? json.get<std::string>() : json.dump());
  scalar.SetTag(is_text && !IsPlainWord(scalar.Scalar()) ? kInQuotes : kPlain);
  return scalar;
}

absl::Status DoesNotFit(const std::string& path) {
  return absl::InvalidArgumentError("the patch does not fit at " + path);
}

// Returns a new list, because assigning to an item changes that item wherever else it is used.
YAML::Node WithItem(const YAML::Node& list, std::size_t index, const YAML::Node& item) {
  YAML::Node result(YAML::NodeType::Sequence);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i == index) result.push_back(item);
    result.push_back(list[i]);
  }
  if (index == list.size()) result.push_back(item);
  result.SetStyle(list.Style());
  return result;
}

absl::Status ApplyToList(const Json& operation, YAML::Node list, const std::string& token) {
  const bool adds = operation["op"] == "add";
  std::size_t index = list.size();
  if (token != "-") index = std::stoul(token);
  if (index > list.size() || (!adds && index == list.size())) return DoesNotFit(operation["path"]);
  if (!adds) {
    list[index] = NodeOf(operation["value"]);
  } else {
    list = WithItem(list, index, NodeOf(operation["value"]));
  }
  return absl::OkStatus();
}

// What a token of a pointer names in a map or list.
std::optional<YAML::Node> ChildOf(const YAML::Node& parent, const std::string& token) {
  if (parent.IsMap()) return parent[token];
  std::size_t index = 0;
  if (!absl::SimpleAtoi(token, &index)) return std::nullopt;
  return parent[index];
}

absl::Status Apply(const Json& operation, const YAML::Node& root) {
  const Pointer path(operation["path"].get<std::string>());
  std::optional<YAML::Node> parent = NodeAt(root, path.parent_pointer().to_string());
  if (!parent) return DoesNotFit(path.to_string());
  const bool removes = operation["op"] == "remove";
  if (parent->IsSequence() && !removes) return ApplyToList(operation, *parent, path.back());
  if (!parent->IsMap()) return DoesNotFit(path.to_string());
  if (removes) {
    parent->remove(path.back());
  } else {
    (*parent)[path.back()] = NodeOf(operation["value"]);
  }
  return absl::OkStatus();
}

}  // namespace

YAML::Node CopyOf(const YAML::Node& node) {
  YAML::Node copy;
  if (node.IsMap()) {
    copy = YAML::Node(YAML::NodeType::Map);
    for (const auto& entry : node) copy.force_insert(CopyOf(entry.first), CopyOf(entry.second));
  } else if (node.IsSequence()) {
    copy = YAML::Node(YAML::NodeType::Sequence);
    for (const YAML::Node& item : node) copy.push_back(CopyOf(item));
  } else if (node.IsScalar()) {
    copy = YAML::Node(node.Scalar());
    copy.SetTag(node.Tag());
  }
  copy.SetStyle(node.Style());
  return copy;
}

std::optional<YAML::Node> NodeAt(const YAML::Node& root, std::string_view pointer) {
  std::vector<std::string> tokens;  // in reverse order
  for (Pointer rest{std::string(pointer)}; !rest.empty(); rest.pop_back()) {
    tokens.push_back(rest.back());
  }
  YAML::Node node = root;
  for (; !tokens.empty(); tokens.pop_back()) {
    const YAML::Node parent = node;
    if (!parent.IsMap() && !parent.IsSequence()) return std::nullopt;
    const std::optional<YAML::Node> child = ChildOf(parent, tokens.back());
    if (!child || !child->IsDefined()) return std::nullopt;
    node.reset(*child);
  }
  return node;
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): it is a handle to what is changed.
absl::Status ApplyPatch(std::string_view patch, YAML::Node root) {
  try {
    for (const Json& operation : Json::parse(patch)) {
      const absl::Status applied = Apply(operation, root);
      if (!applied.ok()) return applied;
    }
  } catch (const std::exception& error) {
    return absl::InvalidArgumentError(std::string("the patch does not fit: ") + error.what());
  }
  return absl::OkStatus();
}

}  // namespace berth::yaml
