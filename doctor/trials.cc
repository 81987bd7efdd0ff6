#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "doctor/gather.h"
#include "kube/api_reply.h"
#include "kube/json.h"
#include "kube/json_call.h"

namespace berth::doctor {

namespace {

using kube::JsonValue;
using Json = nlohmann::json;

constexpr std::size_t kMaxReply = std::size_t{8} << 20;
constexpr std::size_t kMaxNodesAsked = 1000;

// A pod that every namespace accepts (Pod Security level "restricted"), and that Berth has a remark
// on: it has no limits.
Json PodToTry() {
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", {{"generateName", "berth-doctor-"}}},
          {"spec",
           {{"automountServiceAccountToken", false},
            {"securityContext",
             {{"runAsNonRoot", true},
              {"runAsUser", 65532},
              {"seccompProfile", {{"type", "RuntimeDefault"}}}}},
            {"containers",
             {{{"name", "doctor"},
               {"image", "berth.dev/never-started"},
               {"securityContext",
                {{"allowPrivilegeEscalation", false}, {"capabilities", {{"drop", {"ALL"}}}}}}}}}}}};
}

// Calls `read` with the reply's root. Returns the error if the reply is not JSON, or that of
// `read`.
template <typename Read>
absl::Status ReadReply(const std::string& body, Read read) {
  kube::JsonParser parser;
  const auto root = parser.Parse(body);
  if (!root.ok()) return root.status();
  absl::Status error;
  const kube::Path path("");
  read(JsonValue(*root, path, error));
  return error;
}

std::string MessageOf(const std::string& body) {
  std::string message;
  const absl::Status status = ReadReply(
      body, [&message](const JsonValue& root) { message = root.Field("message").String(); });
  return status.ok() && !message.empty() ? message : "no reason was given";
}

// Whether RBAC refused the request. Quotas and policies refuse with the same status, but their
// refusal is a result of the trial.
bool IsMissingRight(const std::string& message) {
  return message.find(" cannot create resource \"pods\"") != std::string::npos;
}

std::vector<std::string> AnnotationsOf(const std::string& body) {
  std::vector<std::string> names;
  const absl::Status status = ReadReply(body, [&names](const JsonValue& root) {
    const JsonValue metadata = root.Field("metadata");
    metadata.Field("annotations").ForEachMember([&names](std::string_view name, const JsonValue&) {
      names.emplace_back(name);
    });
  });
  if (!status.ok()) names.clear();
  return names;
}

std::string FilterArgs(const std::string& resource, const std::vector<std::string>& nodes) {
  const Json devices = {{resource, "1"}};
  const Json container = {{"name", "doctor"},
                          {"resources", {{"requests", devices}, {"limits", devices}}}};
  const Json pod = {
      {"metadata", {{"name", "berth-doctor"}, {"namespace", "default"}, {"uid", "berth-doctor"}}},
      {"spec", {{"containers", Json::array({container})}}}};
  return Json{{"Pod", pod}, {"Nodes", nullptr}, {"NodeNames", nodes}}.dump();
}

std::size_t SizeOfMap(const JsonValue& map) {
  std::size_t size = 0;
  map.ForEachMember([&size](std::string_view, const JsonValue&) { ++size; });
  return size;
}

absl::Status ReadAnswer(const std::string& body, FilterTrial& trial) {
  return ReadReply(body, [&trial](const JsonValue& root) {
    root.Field("NodeNames").ForEachItem([&trial](const JsonValue&) { ++trial.fit; });
    trial.refused =
        SizeOfMap(root.Field("FailedNodes")) + SizeOfMap(root.Field("FailedAndUnresolvableNodes"));
    trial.error = root.Field("Error").String();
  });
}

template <typename Has>
std::vector<std::string> NamesOf(const std::vector<model::Node>& nodes, Has has) {
  std::vector<std::string> names;
  for (const model::Node& node : nodes) {
    if (names.size() < kMaxNodesAsked && has(node)) names.push_back(node.name);
  }
  return names;
}

using ResourceAndNodes = std::pair<std::string, std::vector<std::string>>;

// The first resource of the catalogue that some node has, and the nodes that have it.
ResourceAndNodes NodesToAskAbout(const std::vector<model::Node>& nodes,
                                 const model::AcceleratorCatalog& catalog) {
  for (const std::string& resource : catalog.resources()) {
    auto names =
        NamesOf(nodes, [&](const model::Node& node) { return node.capacity.Get(resource) > 0; });
    if (!names.empty()) return {resource, std::move(names)};
  }
  return {};
}

ResourceAndNodes NodesOf(const std::string& accelerator, const std::vector<model::Node>& nodes,
                         const model::AcceleratorCatalog& catalog) {
  const auto entry = catalog.IndexOf(accelerator);
  if (entry == model::AcceleratorCatalog::kNone) return {};
  return {catalog[entry].resource,
          NamesOf(nodes, [&](const model::Node& node) { return catalog.Match(node) == entry; })};
}

}  // namespace

absl::StatusOr<WebhookTrial> TryPod(kube::Transport& transport, const std::string& namespace_name) {
  kube::HttpRequest request{
      .method = kube::HttpMethod::kPost,
      .target = fmt::format("/api/v1/namespaces/{}/pods?dryRun=All", namespace_name),
      .accept = "application/json",
      .content_type = "application/json",
      .body = PodToTry().dump()};
  kube::BodySink sink(kMaxReply);
  const absl::Status sent = transport.Send(request, sink);
  if (!sent.ok()) return sent;
  WebhookTrial trial{.namespace_name = namespace_name, .warnings = sink.head().warnings};
  const int status = sink.head().status;
  if (status >= 200 && status < 300) {
    trial.annotations = AnnotationsOf(sink.body());
    return trial;
  }
  trial.refusal = MessageOf(sink.body());
  if (status != 401 && !(status == 403 && IsMissingRight(trial.refusal))) return trial;
  return absl::PermissionDeniedError("no right to create pods in namespace " + namespace_name);
}

absl::StatusOr<FilterTrial> TryFilter(const ExtenderAccess& extender,
                                      const std::vector<model::Node>& nodes,
                                      const model::AcceleratorCatalog& catalog) {
  const std::string& wanted = extender.accelerator;
  const auto [resource, names] =
      wanted.empty() ? NodesToAskAbout(nodes, catalog) : NodesOf(wanted, nodes, catalog);
  if (names.empty()) {
    return absl::NotFoundError(
        fmt::format("no node has {} to ask the extender about",
                    wanted.empty() ? "a resource of the catalogue" : "accelerator " + wanted));
  }
  FilterTrial trial{.url = extender.url, .asked = names.size()};
  const auto reply = kube::CallJson(*extender.transport, kube::HttpMethod::kPost, "/filter",
                                    FilterArgs(resource, names));
  // Whatever keeps the extender from answering is the result of the trial.
  const absl::Status read = reply.ok() ? ReadAnswer(*reply, trial) : reply.status();
  if (!read.ok()) trial.error = std::string(read.message());
  return trial;
}

}  // namespace berth::doctor
