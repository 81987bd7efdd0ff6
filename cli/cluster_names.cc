#include "cli/cluster_names.h"

#include <fmt/format.h>

#include <chrono>
#include <set>
#include <string_view>
#include <thread>

#include "cli/api_access.h"
#include "cli/object_names.h"
#include "config/config.h"
#include "kube/api_reply.h"
#include "kube/http_client.h"
#include "kube/json.h"
#include "kube/json_call.h"
#include "kube/json_value.h"
#include "kube/page_limit.h"
#include "kube/query.h"
#include "kube/timer.h"
#include "model/gang.h"

namespace berth::cli {

namespace {

using kube::JsonValue;

// Whoever presses Tab has not decided yet to wait.
constexpr std::chrono::milliseconds kTabPatience{2000};
constexpr std::size_t kMostNames = 500;
// The server leaves out everything but the metadata
// (https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables).
constexpr const char* kMetadataOnly =
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";

std::string PathOf(Candidates wanted, const std::string& namespace_name) {
  switch (wanted) {
    case Candidates::kNamespaces:
      return "/api/v1/namespaces";
    case Candidates::kNodes:
      return "/api/v1/nodes";
    case Candidates::kPods:
    case Candidates::kGangs:
      return namespace_name.empty() ? "/api/v1/pods"
                                    : fmt::format("/api/v1/namespaces/{}/pods", namespace_name);
    case Candidates::kGangsAnywhere:
      return "/api/v1/pods";
    case Candidates::kNone:
    case Candidates::kFiles:
    case Candidates::kFolders:
    case Candidates::kContexts:
      break;
  }
  return "";
}

// The name that the object stands for. Empty: none.
std::string NameIn(const JsonValue& object, Candidates wanted) {
  const JsonValue metadata = object.Field("metadata");
  if (wanted != Candidates::kGangs && wanted != Candidates::kGangsAnywhere) {
    return metadata.Field("name").Text();
  }
  const model::GangNames names(config::BerthConfiguration().prefix);
  const model::StringMap annotations = metadata.Field("annotations").StringMap();
  const std::string gang(model::Find(annotations, names.name).value_or(""));
  if (gang.empty() || wanted == Candidates::kGangs) return gang;
  return fmt::format("{}/{}", metadata.Field("namespace").Text(), gang);
}

std::vector<std::string> NamesOf(std::string_view list, Candidates wanted) {
  kube::JsonParser parser;
  const auto root = parser.Parse(list);
  if (!root.ok()) return {};
  absl::Status error;
  const kube::Path path("");
  std::set<std::string> names;
  const JsonValue value(*root, path, error);
  value.Field("items").ForEachItem([&](const JsonValue& item) {
    std::string name = NameIn(item, wanted);
    if (!name.empty()) names.insert(std::move(name));
  });
  return error.ok() ? std::vector(names.begin(), names.end()) : std::vector<std::string>();
}

}  // namespace

std::vector<std::string> NamesIn(kube::Transport& transport, Candidates wanted,
                                 const std::string& namespace_name) {
  if (!CheckNamespaceIfAny(namespace_name).ok()) return {};
  kube::PageLimit limit(kMostNames);
  while (true) {
    kube::Target target(PathOf(wanted, namespace_name));
    target.With("limit", limit.text());
    kube::HttpRequest request;
    request.target = target.text();
    request.accept = kMetadataOnly;
    request.silence = kTabPatience;
    kube::BodySink sink(limit.MaxBytes());
    const absl::Status sent = transport.Send(request, sink);
    if (kube::IsTooLarge(sent, sink) && limit.Shrink()) continue;
    if (!sent.ok() || sink.head().status != 200) return {};
    return NamesOf(sink.body(), wanted);
  }
}

std::vector<std::string> NamesFor(Candidates wanted, const ApiOptions& options) {
  if (wanted == Candidates::kContexts) return PersonContexts(options.kubeconfig);
  if (PathOf(wanted, "").empty()) return {};
  const auto access = AccessOf(options);
  if (!access.ok()) return {};
  kube::HttpClient client(*access, {.connect = kTabPatience,
                                    .handshake = kTabPatience,
                                    .write = kTabPatience,
                                    .head = kTabPatience});
  // Each of the client's own waits may take this long, one after the other.
  kube::SteadyTimer timer;
  std::thread watchdog([&] {
    if (timer.Wait(kTabPatience)) client.Stop();
  });
  std::vector<std::string> names = NamesIn(client, wanted, NamespaceOf(options));
  timer.Stop();
  watchdog.join();
  return names;
}

}  // namespace berth::cli
