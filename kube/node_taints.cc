#include "kube/node_taints.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/status/status.h"
#include "model/taint.h"

namespace berth::kube {

namespace {

using Json = nlohmann::json;

constexpr char kVersion[] = "resourceVersion";

// Returns the member of that name; null if there is none.
Json MemberOrNull(const Json& object, const char* name) {
  if (!object.is_object()) return {};
  const auto found = object.find(name);
  return found == object.end() ? Json() : *found;
}

bool HasText(const Json& object, const char* name, std::string_view text) {
  const Json value = MemberOrNull(object, name);
  const auto* const string = value.get_ptr<const std::string*>();
  return string != nullptr && *string == text;
}

bool IsWanted(const Json& taint, const WantedTaint& wanted) {
  return HasText(taint, "key", wanted.key) && HasText(taint, "effect", model::kNoSchedule);
}

Json NewTaint(const WantedTaint& wanted) {
  return {{"effect", model::kNoSchedule}, {"key", wanted.key}, {"value", *wanted.value}};
}

// Returns an iterator into the list of taints.
template <typename List>
auto FindWanted(List& taints, const WantedTaint& wanted) {
  return std::find_if(taints.begin(), taints.end(),
                      [&wanted](const Json& taint) { return IsWanted(taint, wanted); });
}

// Changes the list of taints.
void Apply(const WantedTaint& wanted, Json& taints) {
  const auto found = FindWanted(taints, wanted);
  if (found == taints.end()) {
    if (wanted.value) taints.push_back(NewTaint(wanted));
  } else if (wanted.value) {
    *found = NewTaint(wanted);
  } else {
    taints.erase(found);
  }
}

bool HasValue(const Json& taint, const WantedTaint& wanted) {
  return HasText(taint, "value", *wanted.value) ||
         (wanted.value->empty() && !taint.contains("value"));
}

bool IsAsItShallBe(const Json& taints, const WantedTaint& wanted) {
  const auto found = FindWanted(taints, wanted);
  if (found == taints.end()) return !wanted.value;
  return wanted.value && HasValue(*found, wanted);
}

std::string PatchOf(const Json& metadata, const Json& taints) {
  const Json patch = {
      {"metadata",
       {{"uid", MemberOrNull(metadata, "uid")}, {kVersion, MemberOrNull(metadata, kVersion)}}},
      {"spec", {{"taints", taints}}}};
  return patch.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

absl::StatusOr<std::string> TaintsPatch(std::string_view list, std::string_view uid,
                                        const WantedTaint& wanted) {
  const Json root = Json::parse(list, nullptr, false);
  const Json nodes = MemberOrNull(root, "items");
  // An empty list of Kubernetes' own types may be null.
  if (root.is_discarded() || !root.is_object() || !(nodes.is_array() || nodes.is_null())) {
    return absl::UnavailableError("the answer is not a list of nodes");
  }
  for (const Json& node : nodes) {
    const Json metadata = MemberOrNull(node, "metadata");
    if (!HasText(metadata, "uid", uid)) continue;
    Json taints = MemberOrNull(MemberOrNull(node, "spec"), "taints");
    if (!taints.is_array()) taints = Json::array();
    if (IsAsItShallBe(taints, wanted)) return "";
    Apply(wanted, taints);
    return PatchOf(metadata, taints);
  }
  return absl::NotFoundError("the node is gone");
}

}  // namespace berth::kube
