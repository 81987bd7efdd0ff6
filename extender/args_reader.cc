#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "extender/wire.h"
#include "kube/path.h"

namespace berth::extender {

namespace {

using kube::JsonText;

// Up to this size, a request is parsed as a whole, and sizes within an object are not checked,
// because what it contains cannot take much memory.
constexpr std::size_t kSmallObject = 64 << 10;

// A member to look for, and its value: nothing if the member is missing or null.
struct Wanted {
  std::string_view name;
  std::optional<JsonText> value{};
  bool seen = false;
};

absl::Status NotJson(std::string_view where) {
  return absl::InvalidArgumentError(
      std::string(where) + ": is not JSON; brackets, quotes, colons or commas do not match");
}

absl::Status TooMany(std::string_view field, std::size_t most, std::string_view what) {
  return absl::InvalidArgumentError(std::string(field) + ": has more than the " +
                                    std::to_string(most) + " " + std::string(what) +
                                    " that Berth reads");
}

// Looks for `members`; if several have the same name, the first counts. Returns false if the text
// is not an object, or is cut off.
bool FindMembers(const JsonText& object, std::span<Wanted> members) {
  return object.ForEachMember([members](const JsonText& key, const JsonText& value) {
    for (Wanted& wanted : members) {
      if (wanted.seen || !key.Spells(wanted.name)) continue;
      wanted.seen = true;
      if (!value.IsNull()) wanted.value = value;
    }
    return true;
  });
}

// Looks for the members of a request. `expected` says what it should be. In a large request, the
// parts that are not looked at may be invalid JSON.
absl::Status FindRoot(kube::JsonParser& parser, std::string_view body, std::span<Wanted> members,
                      std::string_view expected) {
  if (body.size() <= kSmallObject) {
    const auto json = parser.Parse(body);
    if (!json.ok()) return json.status();
  }
  const JsonText root(body);
  if (!root.IsObject()) return absl::InvalidArgumentError("expected " + std::string(expected));
  return FindMembers(root, members) ? absl::OkStatus() : NotJson("the request");
}

std::string NameOf(simdjson::dom::element object) {
  std::string_view name;
  return object["metadata"]["name"].get(name) == simdjson::SUCCESS ? std::string(name) : "";
}

std::size_t EntriesOf(const model::Node& node) {
  const auto resources = (node.capacity.end() - node.capacity.begin()) +
                         (node.allocatable.end() - node.allocatable.begin());
  return node.labels.size() + node.taints.size() + node.conditions.size() +
         static_cast<std::size_t>(resources);
}

// Returns false if the value is not an integer of 64 bits.
bool ReadInteger(const JsonText& value, std::int64_t& number) {
  const std::string_view text = value.text();
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end;
}

}  // namespace

bool BringsWholeObjects(std::string_view body) {
  std::array<Wanted, 3> members{{{"Nodes"}, {"NodeNameToVictims"}, {"NodeNameToMetaVictims"}}};
  FindMembers(JsonText(body), members);
  const auto& [nodes, victims, uids] = members;
  return nodes.value || (victims.value && !uids.value);
}

std::optional<ExtenderArgs> ArgsReader::ReadPlain(std::string_view body) {
  auto plain = plain_reader_.Read(body);
  if (!plain) return std::nullopt;
  auto pod = ReadPod(JsonText(plain->pod));
  if (!pod.ok()) return std::nullopt;
  return ExtenderArgs{
      .pod = *std::move(pod), .node_names = std::move(plain->node_names), .plain_names = true};
}

absl::StatusOr<simdjson::dom::element> ArgsReader::ReadObject(const JsonText& object,
                                                              std::string_view path) {
  const std::size_t bytes = object.text().size();
  if (bytes > kMaxObjectBytes) return TooMany(path, kMaxObjectBytes, "bytes");
  auto root = parser_.Parse(object.text());
  if (!root.ok()) {
    return absl::InvalidArgumentError(std::string(path) + ": " +
                                      std::string(root.status().message()));
  }
  if (bytes <= kSmallObject) return root;
  const absl::Status sizes = kube::CheckSizes(*root, path);
  if (!sizes.ok()) return sizes;
  return root;
}

absl::StatusOr<model::Pod> ArgsReader::ReadPod(const std::optional<JsonText>& pod) {
  if (!pod) return absl::InvalidArgumentError("Pod: missing");
  const auto root = ReadObject(*pod, "Pod");
  if (!root.ok()) return root.status();
  return kube::PodFromJson(*root, "Pod");
}

absl::StatusOr<std::vector<std::string_view>> ArgsReader::ReadNames(const JsonText& list) {
  if (!list.IsArray()) {
    return absl::InvalidArgumentError("NodeNames: expected a list of node names");
  }
  if (kube::CountValues(list.text(), kMaxNames + 1) > kMaxNames + 1) {
    return TooMany("NodeNames", kMaxNames, "names");
  }
  const auto root = parser_.Parse(list.text());
  if (!root.ok()) return root.status();
  std::vector<std::string_view> names;
  const simdjson::dom::array array = root->get_array().value_unsafe();
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

absl::Status ArgsReader::ReadNode(const JsonText& item, std::size_t& entries_left,
                                  GivenNodes& given) {
  if (given.nodes.size() == kMaxNodes) return TooMany("Nodes.items", kMaxNodes, "nodes");
  const std::string path = "Nodes.items[" + std::to_string(given.nodes.size()) + "]";
  const auto root = ReadObject(item, path);
  if (!root.ok()) return root.status();
  auto node = kube::NodeFromJson(*root, path);
  if (!node.ok()) {
    // A node without a name cannot be reported, so the whole request fails.
    const std::string name = NameOf(*root);
    if (name.empty()) return node.status();
    given.unreadable.push_back(
        {.kind = "Node", .name = name, .error = std::string(node.status().message())});
    node = model::Node{.name = name};
  }
  const std::size_t entries = EntriesOf(*node);
  if (entries > entries_left) {
    return absl::InvalidArgumentError(
        "Nodes.items: has more labels, taints, conditions and resources than Berth reads in a "
        "request of this size, which is " +
        std::to_string(kFreeNodeEntries) + ", one more for every " +
        std::to_string(kBytesPerEntry) + " bytes, and " + std::to_string(kMaxNodeEntries) +
        " at most");
  }
  entries_left -= entries;
  given.nodes.push_back(*std::move(node));
  given.texts.push_back(item.text());
  return absl::OkStatus();
}

absl::StatusOr<GivenNodes> ArgsReader::ReadNodes(const JsonText& list) {
  if (!list.IsObject()) {
    return absl::InvalidArgumentError("Nodes: expected a NodeList, an object with items");
  }
  std::array<Wanted, 1> members{{{"items"}}};
  if (!FindMembers(list, members)) return NotJson("Nodes");
  const std::optional<JsonText>& items = members[0].value;
  GivenNodes given;
  if (!items) return given;
  if (!items->IsArray()) {
    return absl::InvalidArgumentError("Nodes.items: expected a list of nodes");
  }
  absl::Status error;
  std::size_t entries_left =
      std::min(kMaxNodeEntries, kFreeNodeEntries + list.text().size() / kBytesPerEntry);
  const bool whole = items->ForEachItem([&](const JsonText& item) {
    error = ReadNode(item, entries_left, given);
    return error.ok();
  });
  if (!error.ok()) return error;
  if (!whole) return NotJson("Nodes.items");
  return given;
}

absl::StatusOr<ExtenderArgs> ArgsReader::Read(std::string_view body) {
  if (body.size() <= kLargestKeptBody) {
    if (auto plain = ReadPlain(body)) return *std::move(plain);
  }
  std::array<Wanted, 3> members{{{"Pod"}, {"NodeNames"}, {"Nodes"}}};
  const absl::Status found =
      FindRoot(parser_, body, members, "ExtenderArgs, an object with Pod and NodeNames or Nodes");
  if (!found.ok()) return found;
  const auto& [pod_text, names, nodes] = members;
  auto pod = ReadPod(pod_text.value);
  if (!pod.ok()) return pod.status();
  ExtenderArgs args{.pod = *std::move(pod)};
  if (names.value.has_value() == nodes.value.has_value()) {
    return absl::InvalidArgumentError(
        names.value
            ? "NodeNames and Nodes: expected one of them, got both"
            : "NodeNames: missing, and Nodes too; expected the names or the nodes themselves");
  }
  if (names.value) {
    auto read = ReadNames(*names.value);
    if (!read.ok()) return read.status();
    args.node_names = *std::move(read);
    return args;
  }
  auto given = ReadNodes(*nodes.value);
  if (!given.ok()) return given.status();
  args.given = *std::move(given);
  for (const model::Node& node : args.given->nodes) args.node_names.push_back(node.name);
  return args;
}

std::optional<std::string_view> ArgsReader::StringOf(const JsonText& value) {
  if (const auto plain = value.PlainString()) return plain;
  const auto root = parser_.Parse(value.text());
  std::string_view text;
  if (!root.ok() || root->get(text) != simdjson::SUCCESS) return std::nullopt;
  return decoded_.emplace_back(text);
}

absl::Status ArgsReader::ReadUids(const JsonText& pods, bool whole_pods, const std::string& path,
                                  std::vector<std::string_view>& uids) {
  if (!pods.IsArray()) return absl::InvalidArgumentError(path + ": expected a list of pods");
  bool all = true;
  const bool whole = pods.ForEachItem([&](const JsonText& pod) {
    // The object with the UID: metadata of a whole pod, or a MetaPod.
    const std::optional<JsonText> holder = whole_pods ? pod.Member("metadata") : pod;
    const auto uid = holder ? holder->Member(whole_pods ? "uid" : "UID") : std::nullopt;
    const auto text = uid ? StringOf(*uid) : std::nullopt;
    if (text) uids.push_back(*text);
    all = text.has_value();
    return all;
  });
  if (!whole) return NotJson(path);
  if (all) return absl::OkStatus();
  return absl::InvalidArgumentError(path + "[" + std::to_string(uids.size()) + "]" +
                                    (whole_pods ? ".metadata.uid" : ".UID") +
                                    ": expected the UID of a pod");
}

absl::Status ArgsReader::ReadVictims(const JsonText& victims, bool whole_pods,
                                     const std::string& path, NodeVictims& node) {
  if (victims.IsNull()) return absl::OkStatus();
  std::array<Wanted, 2> members{{{"Pods"}, {"NumPDBViolations"}}};
  if (!FindMembers(victims, members)) {
    return absl::InvalidArgumentError(path + ": expected an object with Pods");
  }
  const auto& [pods, violations] = members;
  if (violations.value && !ReadInteger(*violations.value, node.pdb_violations)) {
    return absl::InvalidArgumentError(path + ".NumPDBViolations: expected a whole number");
  }
  return pods.value ? ReadUids(*pods.value, whole_pods, path + ".Pods", node.uids)
                    : absl::OkStatus();
}

absl::Status ArgsReader::ReadAllVictims(const JsonText& by_node, const std::string& field,
                                        PreemptionArgs& args) {
  if (!by_node.IsObject()) {
    return absl::InvalidArgumentError(field + ": expected victims by the name of their node");
  }
  absl::Status error;
  const bool whole = by_node.ForEachMember([&](const JsonText& key, const JsonText& victims) {
    const auto name = StringOf(key);
    if (!name || args.nodes.size() == kMaxNames) {
      error = name ? TooMany(field, kMaxNames, "nodes") : NotJson(field);
      return false;
    }
    NodeVictims node{.name = *name};
    error = ReadVictims(victims, args.whole_pods, field + "[" + kube::Quoted(*name) + "]", node);
    if (error.ok()) args.nodes.push_back(std::move(node));
    return error.ok();
  });
  if (error.ok() && !whole) error = NotJson(field);
  return error;
}

absl::StatusOr<PreemptionArgs> ArgsReader::ReadPreemption(std::string_view body) {
  decoded_.clear();
  std::array<Wanted, 3> members{{{"Pod"}, {"NodeNameToMetaVictims"}, {"NodeNameToVictims"}}};
  absl::Status status =
      FindRoot(parser_, body, members,
               "ExtenderPreemptionArgs, an object with Pod and NodeNameToMetaVictims");
  if (!status.ok()) return status;
  const auto& [pod_text, uids, whole_pods] = members;
  auto pod = ReadPod(pod_text.value);
  if (!pod.ok()) return pod.status();
  PreemptionArgs args{.pod = *std::move(pod), .nodes = {}};
  args.whole_pods = !uids.value;
  const Wanted& victims = args.whole_pods ? whole_pods : uids;
  // Some clients leave out a map without entries. It asks for nothing.
  if (!victims.value) return args;
  status = ReadAllVictims(*victims.value, std::string(victims.name), args);
  if (!status.ok()) return status;
  return args;
}

}  // namespace berth::extender
