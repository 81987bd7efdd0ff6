// decode_corpus KIND reads frames (a 4-byte big-endian length and as many bytes) from standard
// input, decodes each as KIND and prints one line of JSON for it: the model, or {"error":
// "<sentence>"}. Times are seconds since 1970, amounts as in model::Resources.

#include <array>
#include <cstddef>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "kube/json.h"
#include "kube/protobuf.h"
#include "model/node.h"
#include "model/pod.h"
#include "model/quantity.h"
#include "model/service.h"
#include "nlohmann/json.hpp"

namespace berth {
namespace {

using nlohmann::json;

json ToJson(const model::StringMap& map) {
  json object = json::object();
  for (const auto& [name, value] : map) object[name] = value;
  return object;
}

json ToJson(const model::Resources& resources) {
  json object = json::object();
  for (const auto& [name, amount] : resources) object[name] = amount;
  return object;
}

json ToJson(const model::Condition& condition) {
  static const std::map<model::ConditionStatus, std::string> statuses = {
      {model::ConditionStatus::kTrue, "True"},
      {model::ConditionStatus::kFalse, "False"},
      {model::ConditionStatus::kUnknown, "Unknown"}};
  return {{"type", condition.type},
          {"status", statuses.at(condition.status)},
          {"lastTransition", condition.last_transition.time_since_epoch().count()},
          {"lastHeartbeat", condition.last_heartbeat.time_since_epoch().count()}};
}

json ToJson(const model::Taint& taint) {
  return {{"key", taint.key}, {"value", taint.value}, {"effect", taint.effect}};
}

json ToJson(const model::Toleration& toleration) {
  return {{"key", toleration.key},
          {"operator", toleration.op},
          {"value", toleration.value},
          {"effect", toleration.effect}};
}

json ToJson(const model::ScoredFields& scored) {
  return {{"nodePreferences", scored.node_preferences},
          {"podAffinity", scored.pod_affinity},
          {"spreadConstraints", scored.spread_constraints},
          {"softSpread", scored.soft_spread},
          {"replicated", scored.replicated},
          {"claims", scored.claims}};
}

json ToJson(const model::LabelRequirement& requirement) {
  return {{"key", requirement.key}, {"operator", requirement.op}, {"values", requirement.values}};
}

json ToJson(const model::PodSelector& selector);
json ToJson(const model::Node& node);
json ToJson(const model::Pod& pod);
json ToJson(const model::Service& service);

template <typename T>
json ToJson(const std::vector<T>& items) {
  json array = json::array();
  for (const T& item : items) array.push_back(ToJson(item));
  return array;
}

json ToJson(const model::PodSelector& selector) {
  return {{"namespaces", selector.namespaces}, {"labels", ToJson(selector.labels)}};
}

json ToJson(const model::Node& node) {
  return {{"name", node.name},
          {"uid", node.uid},
          {"labels", ToJson(node.labels)},
          {"taints", ToJson(node.taints)},
          {"conditions", ToJson(node.conditions)},
          {"capacity", ToJson(node.capacity)},
          {"allocatable", ToJson(node.allocatable)},
          {"annotations", ToJson(node.annotations)}};
}

json ToJson(const model::Pod& pod) {
  return {{"namespace", pod.namespace_},
          {"name", pod.name},
          {"uid", pod.uid},
          {"nodeName", pod.node_name},
          {"annotations", ToJson(pod.annotations)},
          {"tolerations", ToJson(pod.tolerations)},
          {"requests", ToJson(pod.requests)},
          {"created", pod.created.time_since_epoch().count()},
          {"deleted", pod.deleted.time_since_epoch().count()},
          {"job", pod.job},
          {"controllerUID", pod.controller_uid},
          {"failedByItself", pod.failed_by_itself},
          {"priority", pod.priority},
          {"unschedulable", pod.unschedulable},
          {"whyGangWaits", pod.why_gang_waits ? json(*pod.why_gang_waits) : json()},
          {"terminated", pod.terminated},
          {"labels", ToJson(pod.labels)},
          {"scored", ToJson(pod.scored)},
          {"affinityTerms", ToJson(pod.affinity_terms)}};
}

json ToJson(const model::Service& service) {
  return {{"namespace", service.namespace_},
          {"name", service.name},
          {"selector", ToJson(service.selector)}};
}

json ToJson(const model::Quantity& quantity) {
  return {{"value", quantity.Value()}, {"milli", quantity.MilliValue()}};
}

json ToJson(const kube::Objects& objects) {
  return {{"nodes", ToJson(objects.nodes)},
          {"pods", ToJson(objects.pods)},
          {"skipped", objects.skipped}};
}

template <typename T>
json ToJson(const kube::Page<T>& page) {
  return {{"items", ToJson(page.items)},
          {"resourceVersion", page.resource_version},
          {"continue", page.continue_token}};
}

json ToJson(const kube::ApiStatus& status) {
  return {{"code", status.code},
          {"reason", status.reason},
          {"message", status.message},
          {"retryAfterSeconds", status.retry_after.count()}};
}

template <typename T>
json ToJson(const kube::WatchEvent<T>& event) {
  static const std::map<kube::WatchEventType, std::string> types = {
      {kube::WatchEventType::kAdded, "ADDED"},
      {kube::WatchEventType::kModified, "MODIFIED"},
      {kube::WatchEventType::kDeleted, "DELETED"},
      {kube::WatchEventType::kBookmark, "BOOKMARK"},
      {kube::WatchEventType::kError, "ERROR"}};
  json result = {{"type", types.at(event.type)}, {"resourceVersion", event.resource_version}};
  if (event.object) result["object"] = ToJson(*event.object);
  if (event.type == kube::WatchEventType::kError) result["status"] = ToJson(event.status);
  return result;
}

template <typename T>
json ToJson(const absl::StatusOr<T>& result) {
  if (result.ok()) return ToJson(*result);
  return {{"error", std::string(result.status().message())}};
}

/// Parses, then reads the root with `read`.
template <typename Read>
json FromJson(std::string_view text, Read read) {
  static kube::JsonParser parser;
  const auto root = parser.Parse(text);
  if (!root.ok()) return {{"error", std::string(root.status().message())}};
  return ToJson(read(*root));
}

using Decoder = std::function<json(std::string_view)>;

const std::map<std::string, Decoder, std::less<>>& Decoders() {
  static const std::map<std::string, Decoder, std::less<>> decoders = {
      {"node-page", [](auto bytes) { return ToJson(kube::DecodePage<model::Node>(bytes)); }},
      {"pod-page", [](auto bytes) { return ToJson(kube::DecodePage<model::Pod>(bytes)); }},
      {"node-event", [](auto bytes) { return ToJson(kube::DecodeWatchEvent<model::Node>(bytes)); }},
      {"pod-event", [](auto bytes) { return ToJson(kube::DecodeWatchEvent<model::Pod>(bytes)); }},
      {"service-page", [](auto bytes) { return ToJson(kube::DecodePage<model::Service>(bytes)); }},
      {"service-event",
       [](auto bytes) { return ToJson(kube::DecodeWatchEvent<model::Service>(bytes)); }},
      {"status", [](auto bytes) { return ToJson(kube::DecodeStatus(bytes)); }},
      {"node-json",
       [](auto text) {
         return FromJson(text, [](auto root) { return kube::NodeFromJson(root, "Node"); });
       }},
      {"pod-json",
       [](auto text) {
         return FromJson(text, [](auto root) { return kube::PodFromJson(root, "Pod"); });
       }},
      {"objects-json", [](auto text) { return ToJson(kube::ObjectsFromJson(text)); }},
      {"quantity", [](auto text) { return ToJson(model::Quantity::Parse(text)); }},
  };
  return decoders;
}

/// False where the input ends within a frame or breaks the framing.
bool DecodeAll(std::istream& in, const Decoder& decode, std::ostream& out) {
  kube::WatchFrameSplitter splitter;
  std::array<char, 1021> chunk{};  // a size that falls in step with nothing
  while (in.read(chunk.data(), chunk.size()), in.gcount() > 0) {
    splitter.Append({chunk.data(), static_cast<std::size_t>(in.gcount())});
    while (true) {
      const auto frame = splitter.Next();
      if (!frame.ok()) return false;
      if (!*frame) break;
      out << decode(**frame).dump() << '\n';
    }
  }
  return splitter.AtBoundary();
}

}  // namespace
}  // namespace berth

int main(int argc, char** argv) {
  const auto& decoders = berth::Decoders();
  const auto decoder = argc == 2 ? decoders.find(std::string_view(argv[1])) : decoders.end();
  if (decoder == decoders.end()) {
    std::cerr << "usage: decode_corpus KIND <frames, with KIND one of:";
    for (const auto& [kind, unused] : decoders) std::cerr << ' ' << kind;
    std::cerr << '\n';
    return 2;
  }
  std::ios::sync_with_stdio(false);
  return berth::DecodeAll(std::cin, decoder->second, std::cout) ? 0 : 1;
}
