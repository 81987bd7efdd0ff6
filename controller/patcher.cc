#include "controller/patcher.h"

#include <nlohmann/json.hpp>

#include "fmt/format.h"
#include "kube/json_call.h"

namespace berth::controller {

namespace {

using Json = nlohmann::json;

absl::Status Patch(kube::Transport& transport, std::string target, const Json& metadata) {
  const std::string body =
      Json{{"metadata", metadata}}.dump(-1, ' ', false, Json::error_handler_t::replace);
  return kube::CallJson(transport, kube::HttpMethod::kPatch, std::move(target), body).status();
}

}  // namespace

absl::Status Patcher::LabelNode(std::string_view node, std::string_view uid,
                                const model::StringMap& labels) {
  Json metadata = {{"uid", uid}};
  for (const auto& [name, value] : labels) metadata["labels"][name] = value;
  return Patch(*transport_, fmt::format("/api/v1/nodes/{}", node), metadata);
}

absl::Status Patcher::AnnotatePod(std::string_view namespace_name, std::string_view name,
                                  std::string_view uid, std::string_view annotation,
                                  std::string_view value) {
  return Patch(*transport_, fmt::format("/api/v1/namespaces/{}/pods/{}", namespace_name, name),
               {{"uid", uid}, {"annotations", {{std::string(annotation), value}}}});
}

}  // namespace berth::controller
