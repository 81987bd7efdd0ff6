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

std::string PathOf(std::string_view namespace_name, std::string_view pod) {
  return fmt::format("/api/v1/namespaces/{}/pods/{}", namespace_name, pod);
}

// The API server calls a patch invalid that comes too late: the pod is bound, or is another one.
absl::Status AbortedIfInvalid(const absl::Status& status) {
  return absl::IsInvalidArgument(status) ? absl::AbortedError(status.message()) : status;
}

}  // namespace

absl::Status Patcher::LabelNode(std::string_view node, std::string_view uid,
                                const model::StringMap& labels) {
  Json metadata = {{"uid", uid}};
  for (const auto& [name, value] : labels) metadata["labels"][name] = value;
  return Patch(*transport_, fmt::format("/api/v1/nodes/{}", node), {{"metadata", metadata}});
}

absl::Status Patcher::AnnotateNode(std::string_view node, std::string_view uid,
                                   std::string_view annotation, std::string_view value) {
  // A null removes a field.
  const Json text = value.empty() ? Json() : Json(value);
  return Patch(*transport_, fmt::format("/api/v1/nodes/{}", node),
               {{"metadata", {{"uid", uid}, {"annotations", {{std::string(annotation), text}}}}}});
}

absl::Status Patcher::UnlabelNode(std::string_view node, std::string_view uid,
                                  std::string_view label) {
  return Patch(*transport_, fmt::format("/api/v1/nodes/{}", node),
               {{"metadata", {{"uid", uid}, {"labels", {{std::string(label), nullptr}}}}}});
}

absl::Status Patcher::AnnotatePod(std::string_view namespace_name, std::string_view name,
                                  std::string_view uid, std::string_view annotation,
                                  std::string_view value) {
  return AbortedIfInvalid(
      Patch(*transport_, PathOf(namespace_name, name),
            {{"metadata", {{"uid", uid}, {"annotations", {{std::string(annotation), value}}}}}}));
}

absl::Status Patcher::NominatePod(std::string_view namespace_name, std::string_view name,
                                  std::string_view uid, std::string_view node,
                                  std::string_view annotation, const model::StringMap& more) {
  // A null removes a field.
  const Json value = node.empty() ? Json() : Json(node);
  Json annotations = {{std::string(annotation), value}};
  for (const auto& [key, text] : more) annotations[key] = node.empty() ? Json() : Json(text);
  return AbortedIfInvalid(Patch(*transport_, PathOf(namespace_name, name) + "/status",
                                {{"metadata", {{"uid", uid}, {"annotations", annotations}}},
                                 {"status", {{"nominatedNodeName", value}}}}));
}

absl::Status Patcher::UngatePod(std::string_view namespace_name, std::string_view name,
                                std::string_view uid) {
  return AbortedIfInvalid(
      Patch(*transport_, PathOf(namespace_name, name),
            {{"metadata", {{"uid", uid}}}, {"spec", {{"schedulingGates", nullptr}}}}));
}

absl::Status Patcher::FreePod(std::string_view namespace_name, std::string_view name,
                              std::string_view uid, const model::GangNames& names) {
  const Json removed = {{"name", names.gate}, {"$patch", "delete"}};
  const Json patch = {{"metadata", {{"uid", uid}, {"annotations", {{names.freed, "true"}}}}},
                      {"spec", {{"schedulingGates", Json::array({removed})}}}};
  return AbortedIfInvalid(
      kube::PatchStrategically(*transport_, PathOf(namespace_name, name), patch.dump()).status());
}

absl::Status Patcher::SetPodCondition(std::string_view namespace_name, std::string_view name,
                                      std::string_view uid, std::string_view type,
                                      std::string_view message, std::string_view time) {
  const Json condition = {{"type", type},
                          {"status", message.empty() ? "True" : "False"},
                          {"reason", message.empty() ? "Released" : "Waiting"},
                          {"message", message},
                          {"lastTransitionTime", time}};
  const Json patch = {{"metadata", {{"uid", uid}}},
                      {"status", {{"conditions", Json::array({condition})}}}};
  const std::string body = patch.dump(-1, ' ', false, Json::error_handler_t::replace);
  return AbortedIfInvalid(
      kube::PatchStrategically(*transport_, PathOf(namespace_name, name) + "/status", body)
          .status());
}

absl::Status Patcher::ReportEvent(std::string_view namespace_name, std::string_view name,
                                  std::string_view uid, std::string_view reason,
                                  std::string_view message, std::string_view time) {
  const Json event = {{"metadata", {{"generateName", fmt::format("{}.", name)}}},
                      {"involvedObject",
                       {{"apiVersion", "v1"},
                        {"kind", "Pod"},
                        {"namespace", namespace_name},
                        {"name", name},
                        {"uid", uid}}},
                      {"reason", reason},
                      {"message", message},
                      {"type", "Normal"},
                      {"source", {{"component", "berth"}}},
                      {"firstTimestamp", time},
                      {"lastTimestamp", time}};
  return kube::CallJson(*transport_, kube::HttpMethod::kPost,
                        fmt::format("/api/v1/namespaces/{}/events", namespace_name),
                        event.dump(-1, ' ', false, Json::error_handler_t::replace))
      .status();
}

}  // namespace berth::controller
