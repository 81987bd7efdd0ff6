#include "extender/wire.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace berth::extender {

namespace {

// Estimates of bytes, to reserve space: of a name with its quotes and comma, and so on.
constexpr std::size_t kBytesPerName = 24;
constexpr std::size_t kBytesPerFailure = 96;
constexpr std::size_t kBytesPerRank = 40;

bool NeedsNoEscape(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; });
}

// `before` ends with the opening quote.
void AppendPlain(std::string& out, std::string_view text, std::string_view before = "\"") {
  out.append(before).append(text) += '"';
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
    if (plain) {
      AppendPlain(out, names[i], i > 0 ? ",\"" : "\"");
      continue;
    }
    if (i > 0) out += ',';
    AppendString(out, names[i]);
  }
}

// Appends the texts of the nodes `kept`, which are some of args.node_names in the same order.
// Compares addresses, because two nodes may have the same name.
void AppendNodes(std::string& out, const ExtenderArgs& args,
                 std::span<const std::string_view> kept) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < args.node_names.size() && next < kept.size(); ++i) {
    if (args.node_names[i].data() != kept[next].data()) continue;
    if (next++ > 0) out += ',';
    out += args.given->texts[i];
  }
}

// Returns how many bytes AppendNodes() writes for these nodes, or somewhat more.
std::size_t BytesOf(const GivenNodes& given) {
  std::size_t bytes = 0;
  for (const std::string_view text : given.texts) bytes += text.size() + 1;
  return bytes;
}

}  // namespace

std::string FilterReply(const ExtenderArgs& args, const FilterResult& result) {
  std::string out;
  const bool gives_nodes = args.given && !result.node_names.empty();
  out.reserve(64 + kBytesPerName * result.node_names.size() +
              (gives_nodes ? BytesOf(*args.given) : 0) +
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
