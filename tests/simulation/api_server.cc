#include "tests/simulation/api_server.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "model/avoid.h"

namespace berth::simulation {
namespace {

using Json = nlohmann::json;

// Every so many evictions one fails, though the API server has said that it may be: etcd has timed
// out.
constexpr int kRefused = 7;

void Merge(const Json& metadata, const char* field, model::StringMap& map) {
  const Json changes = metadata.value(field, Json::object());
  for (const auto& change : changes.items()) {
    std::erase_if(map, [&change](const auto& entry) { return entry.first == change.key(); });
    if (change.value().is_null()) continue;
    map.emplace_back(change.key(), change.value().get<std::string>());
  }
  model::Normalize(map);
}

void RemoveGates(const Json& spec, model::Pod& pod) {
  const auto gates = spec.find("schedulingGates");
  if (gates == spec.end() || !gates->is_null()) return;
  pod.gates.clear();
  pod.gated = false;
}

void Nominate(const Json& status, model::Pod& pod) {
  const auto node = status.find("nominatedNodeName");
  if (node == status.end()) return;
  pod.nominated_node = node->is_null() ? "" : node->get<std::string>();
}

Json JsonOf(const model::Pod& pod) {
  Json annotations = Json::object();
  for (const auto& [name, value] : pod.annotations) annotations[name] = value;
  Json spec = {{"containers", Json::array()}};
  if (!pod.node_name.empty()) spec["nodeName"] = pod.node_name;
  const char* phase = pod.terminated ? "Succeeded" : pod.node_name.empty() ? "Pending" : "Running";
  return {{"metadata",
           {{"namespace", pod.namespace_},
            {"name", pod.name},
            {"uid", pod.uid},
            {"creationTimestamp", model::Rfc3339Text(pod.created)},
            {"annotations", annotations}}},
          {"spec", spec},
          {"status", {{"phase", phase}}}};
}

}  // namespace

int ApiServer::PatchNode(const std::string& who, const std::string& key, const std::string& patch) {
  const auto stored = Of<model::Node>().Find(key);
  if (stored == nullptr) return 404;
  model::Node node = stored->value;
  const Json metadata = Json::parse(patch).at("metadata");
  if (metadata.value("uid", node.uid) != node.uid) return 409;
  Merge(metadata, "labels", node.labels);
  Merge(metadata, "annotations", node.annotations);
  before_node_patch(who, node);
  Put(std::move(node), stored->oddity);
  on_patch(who);
  return 200;
}

int ApiServer::PatchPod(const std::string& who, const std::string& key, const std::string& patch) {
  const auto stored = Of<model::Pod>().Find(key);
  if (stored == nullptr) return 404;
  model::Pod pod = stored->value;
  const Json changes = Json::parse(patch);
  const Json& metadata = changes.at("metadata");
  if (metadata.value("uid", pod.uid) != pod.uid) return 409;
  Merge(metadata, "annotations", pod.annotations);
  RemoveGates(changes.value("spec", Json::object()), pod);
  Nominate(changes.value("status", Json::object()), pod);
  // ValidatePodStatusUpdate in k8s.io/kubernetes/pkg/apis/core/validation/validation.go, v1.36.3.
  if (!pod.node_name.empty() && pod.nominated_node != stored->value.nominated_node) return 422;
  if (pod != stored->value) {
    before_pod_patch(who, stored->value, pod);
    Put(std::move(pod), stored->oddity);
  }
  on_patch(who);
  return 200;
}

int ApiServer::EvictPod(const std::string& who, const std::string& key,
                        const std::string& eviction) {
  const auto stored = Of<model::Pod>().Find(key);
  if (stored == nullptr) return 404;
  const Json options = Json::parse(eviction).at("deleteOptions");
  const std::string& uid = stored->value.uid;
  if (options.at("preconditions").value("uid", uid) != uid) return 409;
  if (!options.contains("dryRun")) {
    if (++evictions_ % kRefused == 0) return 500;
    evicted_.insert(key);
    Delete<model::Pod>(key);
  }
  on_patch(who);
  return 201;
}

std::string ApiServer::PodsIn(const std::string& namespace_name) const {
  Json items = Json::array();
  for (const auto& [key, stored] : Of<model::Pod>().now()) {
    if (stored->value.namespace_ == namespace_name) items.push_back(JsonOf(stored->value));
  }
  return Json{{"kind", "PodList"},
              {"metadata", {{"resourceVersion", std::to_string(revision_)}}},
              {"items", std::move(items)}}
      .dump();
}

}  // namespace berth::simulation
