#include "tests/simulation/api_server.h"

#include <nlohmann/json.hpp>

namespace berth::simulation {
namespace {

using Json = nlohmann::json;

void Merge(const Json& metadata, const char* field, model::StringMap& map) {
  const Json changes = metadata.value(field, Json::object());
  for (const auto& [name, value] : changes.items()) {
    map.emplace_back(name, value.get<std::string>());
  }
  model::Normalize(map);
}

}  // namespace

int ApiServer::PatchNode(const std::string& who, const std::string& key, const std::string& patch) {
  const auto stored = Of<model::Node>().Find(key);
  if (stored == nullptr) return 404;
  model::Node node = stored->value;
  const Json metadata = Json::parse(patch).at("metadata");
  if (metadata.value("uid", node.uid) != node.uid) return 409;
  Merge(metadata, "labels", node.labels);
  Put(std::move(node), stored->oddity);
  on_patch(who);
  return 200;
}

int ApiServer::PatchPod(const std::string& who, const std::string& key, const std::string& patch) {
  const auto stored = Of<model::Pod>().Find(key);
  if (stored == nullptr) return 404;
  model::Pod pod = stored->value;
  const Json metadata = Json::parse(patch).at("metadata");
  if (metadata.value("uid", pod.uid) != pod.uid) return 409;
  Merge(metadata, "annotations", pod.annotations);
  Put(std::move(pod), stored->oddity);
  on_patch(who);
  return 200;
}

}  // namespace berth::simulation
