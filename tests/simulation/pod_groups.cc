#include "tests/simulation/pod_groups.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace berth::simulation {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kApi = "/apis/scheduling.k8s.io/v1beta1/";
constexpr std::string_view kNamespaces = "namespaces/";
constexpr std::string_view kCollection = "/podgroups";

std::int64_t MinCountOf(const Json& object) {
  return object.at("spec").at("schedulingPolicy").at("gang").at("minCount").get<std::int64_t>();
}

// "ml" of the PodGroups of a namespace, "ml/berth-train" of one of them, "" of all that there are.
std::string KeyIn(std::string_view target) {
  target.remove_prefix(kApi.size());
  if (!target.starts_with(kNamespaces)) return "";
  target.remove_prefix(kNamespaces.size());
  const std::size_t collection = target.find(kCollection);
  return std::string(target.substr(0, collection)) +
         std::string(target.substr(collection + kCollection.size()));
}

// Carries out the operations of a JSON patch. Returns false if one of them cannot be, as one that
// tests for another value.
bool CarryOut(const Json& operations, Json& object) {
  for (const Json& operation : operations) {
    const Json::json_pointer path(operation.at("path").get<std::string>());
    if (!object.contains(path)) return false;
    Json& value = object.at(path);
    if (operation.at("op") == "replace") {
      value = operation.at("value");
    } else if (value != operation.at("value")) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool PodGroups::Serves(std::string_view target) { return target.starts_with(kApi); }

const PodGroups::PodGroup* PodGroups::Find(const std::string& key) const {
  const auto found = groups_.find(key);
  return found == groups_.end() ? nullptr : &found->second.read;
}

PodGroups::Reply PodGroups::Answer(const std::string& who, kube::HttpMethod method,
                                   const std::string& target, const std::string& body) {
  const std::string key = KeyIn(target);
  switch (method) {
    case kube::HttpMethod::kGet:
      return List();
    case kube::HttpMethod::kPost:
      return Create(key, body);
    case kube::HttpMethod::kPatch:
      return Patch(who, key, body);
    case kube::HttpMethod::kDelete:
      return Delete(key, body);
    default:
      return {405, "MethodNotAllowed"};
  }
}

PodGroups::Reply PodGroups::List() const {
  Json items = Json::array();
  for (const auto& [key, group] : groups_) items.push_back(Json::parse(group.object));
  return {200, Json{{"kind", "PodGroupList"}, {"items", std::move(items)}}.dump()};
}

PodGroups::Reply PodGroups::Create(const std::string& namespace_name, const std::string& body) {
  Json object = Json::parse(body);
  const std::string key =
      namespace_name + '/' + object.at("metadata").at("name").get<std::string>();
  if (groups_.contains(key)) return {409, "AlreadyExists"};
  const std::string uid = "pod-group-" + std::to_string(uids_++);
  object["metadata"]["namespace"] = namespace_name;
  object["metadata"]["uid"] = uid;
  groups_[key] = {.object = object.dump(), .read = {.uid = uid, .min_count = MinCountOf(object)}};
  return {201, object.dump()};
}

PodGroups::Reply PodGroups::Patch(const std::string& who, const std::string& key,
                                  const std::string& body) {
  const auto found = groups_.find(key);
  if (found == groups_.end()) return {404, "NotFound"};
  Stored& stored = found->second;
  const Json patch = Json::parse(body);
  // A strategic merge patch: it takes the finalizer away.
  if (patch.is_object()) {
    const bool is_it = patch.at("metadata").value("uid", stored.read.uid) == stored.read.uid;
    return is_it ? Reply{200, stored.object} : Reply{409, "Conflict"};
  }
  Json object = Json::parse(stored.object);
  if (!CarryOut(patch, object)) return {422, "Invalid"};
  const std::int64_t min_count = MinCountOf(object);
  if (min_count != stored.read.min_count) before_change(who, key, min_count);
  stored.object = object.dump();
  stored.read.min_count = min_count;
  return {200, stored.object};
}

PodGroups::Reply PodGroups::Delete(const std::string& key, const std::string& body) {
  const auto found = groups_.find(key);
  if (found == groups_.end()) return {404, "NotFound"};
  const Json options = Json::parse(body);
  if (options.at("preconditions").at("uid") != found->second.read.uid) return {409, "Conflict"};
  groups_.erase(found);
  return {200, "{}"};
}

}  // namespace berth::simulation
