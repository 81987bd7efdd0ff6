#include "usage/workload.h"

#include <fmt/format.h>

#include <algorithm>

namespace berth::usage {

bool IsNotebook(const model::StringMap& labels, std::string_view owner_kind,
                const NotebooksConfig& config) {
  if (std::ranges::find(config.owner_kinds, owner_kind) != config.owner_kinds.end()) return true;
  return std::ranges::any_of(config.labels, [&labels](const std::string& label) {
    const std::size_t sign = label.find('=');
    const auto value = model::Find(labels, label.substr(0, sign));
    return value && (sign == std::string::npos || *value == label.substr(sign + 1));
  });
}

Workload WorkloadOf(const kube::JsonValue& pod, const NotebooksConfig& config) {
  Workload workload;
  const kube::JsonValue metadata = pod.Field("metadata");
  metadata.Field("ownerReferences").ForEachItem([&workload](const kube::JsonValue& owner) {
    if (!owner.Field("controller").Boolean()) return;
    workload.kind = owner.Field("kind").Text();
    workload.name = owner.Field("name").Text();
  });
  workload.notebook = IsNotebook(metadata.Field("labels").StringMap(), workload.kind, config);
  return workload;
}

std::string ToString(const Workload& workload) {
  const std::string owner =
      workload.kind.empty() ? "" : fmt::format("{} {}", workload.kind, workload.name);
  if (!workload.notebook) return owner.empty() ? "-" : owner;
  if (owner.empty()) return "notebook";
  return workload.kind == "Notebook" ? owner : fmt::format("notebook ({})", owner);
}

}  // namespace berth::usage
