#include "controller/gang_evictor.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "kube/json_api.h"
#include "kube/json_call.h"
#include "kube/json_model.h"
#include "kube/json_value.h"
#include "model/pod.h"

namespace berth::controller {

namespace {

bool IsOfGang(const model::Pod& pod, const std::string& gang, const model::GangNames& names) {
  const auto said = model::GangOf(pod.annotations, names);
  return said.ok() && said->has_value() && (*said)->name == gang && !pod.terminated &&
         pod.deleted == model::kNoTime;
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
  const absl::Status listed =
      kube::Api(&transport)
          .List(fmt::format("/api/v1/namespaces/{}/pods", namespace_name),
                {{"", "pods", "list"}, namespace_name}, [&](const kube::JsonValue& item) {
                  model::Pod pod = kube::PodFromJson(item);
                  if (IsOfGang(pod, gang, names)) pods.push_back(std::move(pod));
                });
  if (!listed.ok()) return listed;
  absl::Status status;
  for (const model::Pod& pod : pods) status.Update(EvictPod(transport, pod));
  return status;
}

}  // namespace berth::controller
