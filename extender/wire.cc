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

// 65,000 names of 90 bytes, and a large pod. The parsers take a multiple of it.
constexpr std::size_t kLargestKeptBody = 8 << 20;

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

std::string NameOf(simdjson::dom::element object) {
  std::string_view name;
  return object["metadata"]["name"].get(name) == simdjson::SUCCESS ? std::string(name) : "";
}

absl::StatusOr<GivenNodes> ReadNodes(simdjson::dom::element element) {
  simdjson::dom::object list;
  if (element.get(list) != simdjson::SUCCESS) {
    return absl::InvalidArgumentError("Nodes: expected a NodeList, an object with items");
  }
  GivenNodes given;
  const auto items = Member(list, "items");
  simdjson::dom::array array;
  if (items && items->get(array) != simdjson::SUCCESS) {
    return absl::InvalidArgumentError("Nodes.items: expected a list of nodes");
  }
  if (!items) return given;
  for (const simdjson::dom::element item : array) {
    auto node = kube::NodeFromJson(item, "Nodes.items[" + std::to_string(given.nodes.size()) + "]");
    if (!node.ok()) {
      // Without a name there is nothing to say about it.
      const std::string name = NameOf(item);
      if (name.empty()) return node.status();
      given.unreadable.push_back(
          {.kind = "Node", .name = name, .error = std::string(node.status().message())});
      node = model::Node{.name = name};
    }
    given.nodes.push_back(*std::move(node));
    given.texts.push_back(item);
  }
  return given;
}

// What stands behind `path`, an object of one member more or less: a pod as its metadata.uid, or a
// MetaPod as its UID.
absl::StatusOr<std::string_view> ReadUid(simdjson::dom::element pod, bool whole_pods,
                                         const std::string& path) {
  std::string_view uid;
  const auto found = whole_pods ? pod["metadata"]["uid"] : pod["UID"];
  if (found.get(uid) == simdjson::SUCCESS) return uid;
  return absl::InvalidArgumentError(path + (whole_pods ? ".metadata.uid" : ".UID") +
                                    ": expected the UID of a pod");
}

absl::StatusOr<NodeVictims> ReadVictims(std::string_view name, simdjson::dom::element victims,
                                        bool whole_pods, const std::string& path) {
  NodeVictims node{.name = name};
  if (victims.is_null()) return node;
  simdjson::dom::object object;
  if (victims.get(object) != simdjson::SUCCESS) {
    return absl::InvalidArgumentError(path + ": expected an object with Pods");
  }
  const auto violations = Member(object, "NumPDBViolations");
  if (violations && violations->get(node.pdb_violations) != simdjson::SUCCESS) {
    return absl::InvalidArgumentError(path + ".NumPDBViolations: expected a whole number");
  }
  const auto pods = Member(object, "Pods");
  if (!pods) return node;
  simdjson::dom::array array;
  if (pods->get(array) != simdjson::SUCCESS) {
    return absl::InvalidArgumentError(path + ".Pods: expected a list of pods");
  }
  for (const simdjson::dom::element pod : array) {
    const auto uid =
        ReadUid(pod, whole_pods, path + ".Pods[" + std::to_string(node.uids.size()) + "]");
    if (!uid.ok()) return uid.status();
    node.uids.push_back(*uid);
  }
  return node;
}

bool NeedsNoEscape(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; });
}

void AppendPlain(std::string& out, std::string_view text) {
  out += '"';
  out += text;
  out += '"';
}

void AppendString(std::string& out, std::string_view text) {
  if (NeedsNoEscape(text)) return AppendPlain(out, text);
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

void AppendNames(std::string& out, std::span<const std::string_view> names, bool plain) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += ',';
    plain ? AppendPlain(out, names[i]) : AppendString(out, names[i]);
  }
}

// `kept` are some of args.node_names, in the same order; two nodes may have the same name, but not
// in the same place.
void AppendNodes(std::string& out, const ExtenderArgs& args,
                 std::span<const std::string_view> kept) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < args.node_names.size() && next < kept.size(); ++i) {
    if (args.node_names[i].data() != kept[next].data()) continue;
    if (next++ > 0) out += ',';
    out += simdjson::minify(args.given->texts[i]);
  }
}

absl::StatusOr<simdjson::dom::object> ReadRoot(kube::JsonParser& parser, std::string_view body,
                                               std::string_view expected) {
  auto root = parser.Parse(body);
  if (!root.ok()) return root.status();
  simdjson::dom::object object;
  if (root->get(object) == simdjson::SUCCESS) return object;
  return absl::InvalidArgumentError("expected " + std::string(expected));
}

absl::StatusOr<model::Pod> ReadPod(const simdjson::dom::object& object) {
  const auto pod = Member(object, "Pod");
  if (!pod) return absl::InvalidArgumentError("Pod: missing");
  return kube::PodFromJson(*pod, "Pod");
}

}  // namespace

std::optional<ExtenderArgs> ArgsReader::ReadPlain(std::string_view body) {
  auto plain = plain_reader_.Read(body);
  if (!plain) return std::nullopt;
  const auto root = parser_.Parse(plain->pod);
  if (!root.ok()) return std::nullopt;
  auto pod = kube::PodFromJson(*root, "Pod");
  if (!pod.ok()) return std::nullopt;
  return ExtenderArgs{
      .pod = *std::move(pod), .node_names = std::move(plain->node_names), .plain_names = true};
}

absl::StatusOr<ExtenderArgs> ArgsReader::Read(std::string_view body) {
  if (body.size() <= kLargestKeptBody) {
    if (auto plain = ReadPlain(body)) return *std::move(plain);
  }
  const auto object =
      ReadRoot(parser_, body, "ExtenderArgs, an object with Pod and NodeNames or Nodes");
  if (!object.ok()) return object.status();
  auto pod = ReadPod(*object);
  if (!pod.ok()) return pod.status();
  ExtenderArgs args{.pod = *std::move(pod)};
  const auto names = Member(*object, "NodeNames");
  const auto nodes = Member(*object, "Nodes");
  if (names.has_value() == nodes.has_value()) {
    return absl::InvalidArgumentError(
        names ? "NodeNames and Nodes: expected one of them, got both"
              : "NodeNames: missing, and Nodes too; expected the names or the nodes themselves");
  }
  if (names) {
    auto read = ReadNames(*names);
    if (!read.ok()) return read.status();
    args.node_names = *std::move(read);
    return args;
  }
  auto given = ReadNodes(*nodes);
  if (!given.ok()) return given.status();
  args.given = *std::move(given);
  for (const model::Node& node : args.given->nodes) args.node_names.push_back(node.name);
  return args;
}

absl::StatusOr<PreemptionArgs> ArgsReader::ReadPreemption(std::string_view body) {
  const auto object = ReadRoot(
      parser_, body, "ExtenderPreemptionArgs, an object with Pod and NodeNameToMetaVictims");
  if (!object.ok()) return object.status();
  auto pod = ReadPod(*object);
  if (!pod.ok()) return pod.status();
  PreemptionArgs args{.pod = *std::move(pod), .nodes = {}};
  auto victims = Member(*object, "NodeNameToMetaVictims");
  args.whole_pods = !victims;
  if (args.whole_pods) victims = Member(*object, "NodeNameToVictims");
  // A map without entries is left out by some clients, and asks for nothing.
  if (!victims) return args;
  const std::string field = args.whole_pods ? "NodeNameToVictims" : "NodeNameToMetaVictims";
  simdjson::dom::object nodes;
  if (victims->get(nodes) != simdjson::SUCCESS) {
    return absl::InvalidArgumentError(field + ": expected victims by the name of their node");
  }
  for (const auto [name, element] : nodes) {
    auto node =
        ReadVictims(name, element, args.whole_pods, field + "[\"" + std::string(name) + "\"]");
    if (!node.ok()) return node.status();
    args.nodes.push_back(*std::move(node));
  }
  return args;
}

ReaderLease::ReaderLease(std::string_view body) {
  thread_local ArgsReader kept;
  static std::mutex large;
  if (body.size() > kLargestKeptBody) {
    turn_ = std::unique_lock(large);
    own_.emplace();
  }
  reader_ = own_ ? &*own_ : &kept;
}

std::string FilterReply(const ExtenderArgs& args, const FilterResult& result) {
  std::string out;
  out.reserve(64 + kBytesPerName * result.node_names.size() +
              kBytesPerFailure * (result.failed.size() + result.unresolvable.size()));
  out += args.given ? "{\"Nodes\":{\"metadata\":{},\"items\":[" : "{\"NodeNames\":[";
  if (args.given) {
    AppendNodes(out, args, result.node_names);
  } else {
    AppendNames(out, result.node_names, args.plain_names);
  }
  out += args.given ? "]}" : "]";
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
    out += ",\"Score\":";
    out += std::to_string(ranks[i]);
    out += '}';
  }
  out += ']';
  return out;
}

std::string PreemptReply(std::span<const NodeVictims> nodes) {
  std::string out = "{\"NodeNameToMetaVictims\":{";
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (i > 0) out += ',';
    AppendString(out, nodes[i].name);
    out += ":{\"Pods\":[";
    for (std::size_t pod = 0; pod < nodes[i].uids.size(); ++pod) {
      out += pod == 0 ? "{\"UID\":" : ",{\"UID\":";
      AppendString(out, nodes[i].uids[pod]);
      out += '}';
    }
    out += "],\"NumPDBViolations\":" + std::to_string(nodes[i].pdb_violations) + '}';
  }
  out += "}}";
  return out;
}

}  // namespace berth::extender
