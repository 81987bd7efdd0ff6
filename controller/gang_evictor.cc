#include "controller/gang_evictor.h"

#include <fmt/format.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "kube/json_api.h"
#include "kube/json_call.h"
#include "kube/json_model.h"
#include "kube/json_value.h"
#include "model/node.h"
#include "model/pod.h"

namespace berth::controller {

namespace {

bool IsOfGang(const model::Pod& pod, const std::string& gang, const model::GangNames& names) {
  const auto said = model::GangOf(pod.annotations, names);
  return said.ok() && said->has_value() && (*said)->name == gang && pod.deleted == model::kNoTime;
}

// JobCompletionIndexAnnotation in k8s.io/kubernetes/staging/src/k8s.io/api/batch/v1/types.go
// (v1.36.3).
bool IsIndexed(const model::Pod& pod) {
  return model::Find(pod.annotations, "batch.kubernetes.io/job-completion-index").has_value();
}

// Calls visit(pod, phase) for each pod of the gang that is not being deleted.
absl::Status ForEachOfGang(
    kube::Transport& transport, const std::string& namespace_name, const std::string& gang,
    const model::GangNames& names,
    const std::function<void(const model::Pod& pod, std::string_view phase)>& visit) {
  const auto take = [&](const kube::JsonValue& item) {
    const model::Pod pod = kube::PodFromJson(item);
    if (IsOfGang(pod, gang, names)) visit(pod, item.Field("status").Field("phase").String());
  };
  return kube::Api(&transport)
      .List(fmt::format("/api/v1/namespaces/{}/pods", namespace_name),
            {{"", "pods", "list"}, namespace_name}, take);
}

absl::Status EvictPod(kube::Transport& transport, const model::Pod& pod) {
  const nlohmann::json eviction = {
      {"apiVersion", "policy/v1"},
      {"kind", "Eviction"},
      {"metadata", {{"namespace", pod.namespace_}, {"name", pod.name}}},
      {"deleteOptions", {{"preconditions", {{"uid", pod.uid}}}}}};
  const std::string path =
      fmt::format("/api/v1/namespaces/{}/pods/{}/eviction", pod.namespace_, pod.name);
  const absl::Status status =
      kube::CallJson(transport, kube::HttpMethod::kPost, path, eviction.dump()).status();
  return absl::IsNotFound(status) ? absl::OkStatus() : status;
}

}  // namespace

absl::Status EvictGang(kube::Transport& transport, const std::string& namespace_name,
                       const std::string& gang, const model::GangNames& names) {
  std::vector<model::Pod> pods;
  const auto take = [&pods](const model::Pod& pod, std::string_view) {
    if (!pod.terminated) pods.push_back(pod);
  };
  const absl::Status listed = ForEachOfGang(transport, namespace_name, gang, names, take);
  if (!listed.ok()) return listed;
  absl::Status status;
  for (const model::Pod& pod : pods) status.Update(EvictPod(transport, pod));
  return status;
}

absl::StatusOr<std::size_t> CountSucceeded(kube::Transport& transport,
                                           const std::string& namespace_name,
                                           const std::string& gang, const model::GangNames& names) {
  std::size_t count = 0;
  const auto take = [&count](const model::Pod& pod, std::string_view phase) {
    if (phase == "Succeeded" && IsIndexed(pod)) ++count;
  };
  const absl::Status listed = ForEachOfGang(transport, namespace_name, gang, names, take);
  if (!listed.ok()) return listed;
  return count;
}

}  // namespace berth::controller
