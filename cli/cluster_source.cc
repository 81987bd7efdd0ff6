#include "cli/cluster_source.h"

#include <fmt/format.h>

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "cli/terminal.h"
#include "cluster/feed.h"
#include "kube/api_reply.h"
#include "kube/json.h"
#include "kube/json_call.h"
#include "kube/page_limit.h"
#include "kube/protobuf.h"
#include "kube/query.h"
#include "placement/explanation_hints.h"
#include "yaml/file.h"

namespace berth::cli {

namespace {

// Simdjson counts in 32 bits. 7,500 nodes with 200,000 pods are about 2 GB.
constexpr std::size_t kMaxObjectsBytes = 0xfffff000;

constexpr std::size_t kPageSize = 500;

using kube::UnreadableObject;

absl::Status Useless(const std::string& file, std::string_view why) {
  return absl::InvalidArgumentError(
      fmt::format("{}: {}; write it with `kubectl get nodes,pods -A -o json`", file, why));
}

absl::Status Described(const std::string& path, const absl::Status& status) {
  return {status.code(), fmt::format("GET {}: {}", path, std::string(status.message()))};
}

// Passes every object that the API server has under `path` to `take`, page by page, and those that
// cannot be read to `quarantine`.
template <typename T>
absl::Status ListAll(kube::Transport& transport, const std::string& path,
                     const std::string& selector, const std::function<void(T)>& take,
                     const std::function<void(const UnreadableObject&)>& quarantine) {
  kube::PageLimit limit(kPageSize);
  std::string continue_token;
  while (true) {
    kube::Target target(path);
    target.With("fieldSelector", selector)
        .With("limit", limit.text())
        .With("continue", continue_token);
    kube::BodySink sink(limit.MaxBytes());
    kube::HttpRequest request;
    request.target = target.text();
    request.accept = kube::kProtobufType;
    const absl::Status got = transport.Send(request, sink);
    if (kube::IsTooLarge(got, sink) && limit.Shrink()) continue;
    if (!got.ok()) return got;
    if (sink.head().status != 200) {
      return kube::RefusalOf(path, kube::StatusOf(sink.head(), sink.body())).error;
    }
    const absl::Status protobuf = kube::CheckContentType(sink.head());
    if (!protobuf.ok()) return Described(path, protobuf);
    auto page = kube::DecodePage<T>(sink.body());
    if (!page.ok()) return Described(path, page.status());
    for (T& item : page->items) take(std::move(item));
    for (const UnreadableObject& item : page->unreadable) quarantine(item);
    continue_token = page->continue_token;
    if (continue_token.empty()) return absl::OkStatus();
    limit.OnPage(sink.body().size());
  }
}

}  // namespace

absl::Status LoadObjects(std::string_view text, const std::string& file,
                         cluster::Snapshot& snapshot) {
  auto objects = kube::ObjectsFromJson(text);
  if (!objects.ok()) {
    return Useless(file, Printable(std::string(objects.status().message())));
  }
  for (const UnreadableObject& object : objects->unreadable) {
    object.kind == "Node" ? snapshot.QuarantineNode(object) : snapshot.QuarantinePod(object);
  }
  if (objects->nodes.empty() && snapshot.Read().EndIndex() == 0) {
    return Useless(file, "has no nodes");
  }
  for (model::Node& node : objects->nodes) snapshot.UpsertNode(std::move(node));
  for (const model::Pod& pod : objects->pods) snapshot.UpsertPod(pod);
  return absl::OkStatus();
}

absl::Status LoadObjectsFile(const std::string& file, cluster::Snapshot& snapshot) {
  const auto text = yaml::ReadFile(file, kMaxObjectsBytes);
  if (text.ok()) return LoadObjects(*text, yaml::DisplayName(file), snapshot);
  return absl::InvalidArgumentError(
      fmt::format("{}: {}", yaml::DisplayName(file), std::string(text.status().message())));
}

absl::Status LoadCluster(kube::Transport& transport, cluster::Snapshot& snapshot) {
  const absl::Status listed = ListAll<model::Node>(
      transport, "/api/v1/nodes", "",
      [&](model::Node node) { snapshot.UpsertNode(std::move(node)); },
      [&](const UnreadableObject& node) { snapshot.QuarantineNode(node); });
  if (!listed.ok()) return listed;
  return ListAll<model::Pod>(
      transport, "/api/v1/pods", cluster::Feed::kPodSelector,
      [&](const model::Pod& pod) { snapshot.UpsertPod(pod); },
      [&](const UnreadableObject& pod) { snapshot.QuarantinePod(pod); });
}

absl::Status LoadServices(kube::Transport& transport, cluster::Snapshot& snapshot) {
  snapshot.BeginReplace(cluster::Kind::kServices);
  const absl::Status listed = ListAll<model::Service>(
      transport, "/api/v1/services", "",
      [&](const model::Service& service) { snapshot.UpsertService(service); },
      [&](const UnreadableObject& service) { snapshot.QuarantineService(service); });
  if (listed.ok()) snapshot.EndReplace(cluster::Kind::kServices);
  return listed;
}

absl::StatusOr<model::Pod> GetPod(kube::Transport& transport, const std::string& namespace_name,
                                  const std::string& name) {
  // Uses a list, because ListAll already decodes pages and escapes both names.
  std::vector<model::Pod> pods;
  absl::Status unreadable;
  const absl::Status listed = ListAll<model::Pod>(
      transport, "/api/v1/pods",
      fmt::format("metadata.namespace={},metadata.name={}", namespace_name, name),
      [&](model::Pod pod) { pods.push_back(std::move(pod)); },
      [&](const UnreadableObject& pod) { unreadable = absl::DataLossError(pod.error); });
  if (!listed.ok()) return listed;
  if (!unreadable.ok()) return unreadable;
  if (!pods.empty()) return std::move(pods.front());
  return absl::NotFoundError(fmt::format(
      "there is no pod {} in namespace {}; give its namespace with -n", name, namespace_name));
}

}  // namespace berth::cli
