#include "extender/wire.h"

#include <simdjson.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "absl/status/status.h"

namespace berth::extender {

namespace {

// About what a node's name, quotes and comma take, for reserving.
constexpr std::size_t kBytesPerName = 24;
constexpr std::size_t kBytesPerFailure = 96;
constexpr std::size_t kBytesPerRank = 40;

// The value of `key`, or nothing where it is missing or null.
std::optional<simdjson::dom::element> Member(const simdjson::dom::object& object,
                                             std::string_view key) {
  simdjson::dom::element value;
  if (object.at_key(key).get(value) != simdjson::SUCCESS || value.is_null()) return std::nullopt;
  return value;
}

absl::StatusOr<std::vector<std::string_view>> ReadNames(simdjson::dom::element element) {
  simdjson::dom::array array;
  if (element.get(array) != simdjson::SUCCESS) {
    return absl::InvalidArgumentError("NodeNames: expected a list of node names");
  }
  std::vector<std::string_view> names;
  // The count is exact below 2^24 - 1 entries and that number beyond.
  names.reserve(array.size());
  for (const simdjson::dom::element item : array) {
    std::string_view name;
    if (item.get(name) != simdjson::SUCCESS) {
      return absl::InvalidArgumentError("NodeNames[" + std::to_string(names.size()) +
                                        "]: expected the name of a node");
    }
    names.push_back(name);
  }
  return names;
}

bool NeedsNoEscape(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; });
}

void AppendString(std::string& out, std::string_view text) {
  if (NeedsNoEscape(text)) {
    out.append(1, '"').append(text).append(1, '"');
    return;
  }
  using Json = nlohmann::json;
  out += Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

void AppendFailures(std::string& out, std::string_view key, std::span<const FailedNode> nodes) {
  out.append(",\"").append(key).append("\":{");
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (i > 0) out += ',';
    AppendString(out, nodes[i].name);
    out += ':';
    AppendString(out, nodes[i].reason);
  }
  out += '}';
}

}  // namespace

absl::StatusOr<ExtenderArgs> ArgsReader::Read(std::string_view body) {
  auto root = parser_.Parse(body);
  if (!root.ok()) return root.status();
  simdjson::dom::object object;
  if (root->get(object) != simdjson::SUCCESS) {
    return absl::InvalidArgumentError("expected ExtenderArgs, an object with Pod and NodeNames");
  }
  const auto pod_element = Member(object, "Pod");
  if (!pod_element) return absl::InvalidArgumentError("Pod: missing");
  const auto names_element = Member(object, "NodeNames");
  if (!names_element) {
    return absl::InvalidArgumentError(
        "NodeNames: missing; set nodeCacheCapable: true for this extender in "
        "KubeSchedulerConfiguration");
  }
  auto pod = kube::PodFromJson(*pod_element, "Pod");
  if (!pod.ok()) return pod.status();
  auto names = ReadNames(*names_element);
  if (!names.ok()) return names.status();
  return ExtenderArgs{*std::move(pod), *std::move(names)};
}

std::string FilterReply(const FilterResult& result) {
  std::string out;
  out.reserve(64 + kBytesPerName * result.node_names.size() +
              kBytesPerFailure * (result.failed.size() + result.unresolvable.size()));
  out += "{\"NodeNames\":[";
  for (std::size_t i = 0; i < result.node_names.size(); ++i) {
    if (i > 0) out += ',';
    AppendString(out, result.node_names[i]);
  }
  out += ']';
  if (!result.failed.empty()) AppendFailures(out, "FailedNodes", result.failed);
  if (!result.unresolvable.empty()) {
    AppendFailures(out, "FailedAndUnresolvableNodes", result.unresolvable);
  }
  out += '}';
  return out;
}

std::string FilterErrorReply(std::string_view error) {
  std::string out = "{\"Error\":";
  AppendString(out, error);
  out += '}';
  return out;
}

std::string PrioritizeReply(std::span<const std::string_view> names,
                            std::span<const std::int64_t> ranks) {
  std::string out;
  out.reserve(2 + kBytesPerRank * names.size());
  out += '[';
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += ',';
    out += "{\"Host\":";
    AppendString(out, names[i]);
    out += ",\"Score\":" + std::to_string(ranks[i]) + '}';
  }
  out += ']';
  return out;
}

}  // namespace berth::extender
