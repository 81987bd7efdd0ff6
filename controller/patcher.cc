#include "controller/patcher.h"

#include <nlohmann/json.hpp>

#include "fmt/format.h"
#include "kube/json_call.h"

namespace berth::controller {

namespace {

using Json = nlohmann::json;

absl::Status Patch(kube::Transport& transport, std::string target, const Json& patch) {
  const std::string body = patch.dump(-1, ' ', false, Json::error_handler_t::replace);
  return kube::CallJson(transport, kube::HttpMethod::kPatch, std::move(target), body).status();
}

}  // namespace

absl::Status Patcher::LabelNode(std::string_view node, std::string_view uid,
                                const model::StringMap& labels) {
  Json metadata = {{"uid", uid}};
  for (const auto& [name, value] : labels) metadata["labels"][name] = value;
  return Patch(*transport_, fmt::format("/api/v1/nodes/{}", node), {{"metadata", metadata}});
}

absl::Status Patcher::AnnotatePod(std::string_view namespace_name, std::string_view name,
                                  std::string_view uid, std::string_view annotation,
                                  std::string_view value) {
  return Patch(*transport_, fmt::format("/api/v1/namespaces/{}/pods/{}", namespace_name, name),
               {{"metadata", {{"uid", uid}, {"annotations", {{std::string(annotation), value}}}}}});
}

absl::Status Patcher::NominatePod(std::string_view namespace_name, std::string_view name,
                                  std::string_view uid, std::string_view node,
                                  std::string_view annotation) {
  // A null removes a field.
  const Json value = node.empty() ? Json() : Json(node);
  const absl::Status status =
      Patch(*transport_, fmt::format("/api/v1/namespaces/{}/pods/{}/status", namespace_name, name),
            {{"metadata", {{"uid", uid}, {"annotations", {{std::string(annotation), value}}}}},
             {"status", {{"nominatedNodeName", value}}}});
  return absl::IsInvalidArgument(status) ? absl::AbortedError(status.message()) : status;
}

}  // namespace berth::controller
