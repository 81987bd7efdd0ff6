#include "controller/pod_groups.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "kube/json_api.h"
#include "kube/json_call.h"
#include "kube/page_limit.h"
#include "kube/query.h"
#include "kube/readable.h"
#include "server/log.h"

namespace berth::controller {

namespace {

using nlohmann::json;
using server::Log;
using server::LogLevel;

constexpr char kApi[] = "/apis/scheduling.k8s.io/v1beta1";

std::string GroupsIn(const std::string& namespace_name) {
  return fmt::format("{}/namespaces/{}/podgroups", kApi, namespace_name);
}

std::string ObstacleOf(const absl::Status& status) {
  if (absl::IsNotFound(status)) {
    return "kube-apiserver does not serve scheduling.k8s.io/v1beta1: turn its feature "
           "GenericWorkload on (Kubernetes 1.37)";
  }
  return "PodGroups cannot be read: " + std::string(status.message());
}

constexpr char kMinCount[] = "/spec/schedulingPolicy/gang/minCount";

json Operation(const char* what, std::string path, json value) {
  return {{"op", what}, {"path", std::move(path)}, {"value", std::move(value)}};
}

// Opens the PodGroup, if it is Berth's and closed; one that is let go by hand, whether it is closed
// or not.
absl::Status Open(kube::Transport& transport, const NewPodGroup& group,
                  const model::GangNames& names) {
  std::string label = names.gate;
  label.replace(label.find('/'), 1, "~1");
  json operations = {Operation("test", "/metadata/labels/" + label, "true")};
  if (!group.freed) operations.push_back(Operation("test", kMinCount, kClosedMinCount));
  operations.push_back(Operation("replace", kMinCount, group.min_count));
  return kube::PatchByOperations(transport, GroupsIn(group.namespace_) + '/' + group.name,
                                 operations.dump())
      .status();
}

// Notes on a PodGroup that its pods were let go by hand.
absl::Status MarkFreed(kube::Transport& transport, const NewPodGroup& group,
                       const model::GangNames& names) {
  const json patch = {{"metadata", {{"annotations", {{names.freed, "true"}}}}}};
  return kube::PatchStrategically(transport, GroupsIn(group.namespace_) + '/' + group.name,
                                  patch.dump())
      .status();
}

}  // namespace

bool IsOpen(const kube::JsonValue& pod_group) {
  return pod_group.Field("spec")
             .Field("schedulingPolicy")
             .Field("gang")
             .Field("minCount")
             .Integer() != kClosedMinCount;
}

absl::Status CreatePodGroup(kube::Transport& transport, const NewPodGroup& group,
                            const model::GangNames& names) {
  json spec = {{"schedulingPolicy", {{"gang", {{"minCount", kClosedMinCount}}}}}};
  if (!group.priority_class.empty()) spec["priorityClassName"] = group.priority_class;
  json metadata = {{"name", group.name}, {"labels", {{names.gate, "true"}}}};
  if (group.freed) metadata["annotations"] = {{names.freed, "true"}};
  const json body = {{"apiVersion", "scheduling.k8s.io/v1beta1"},
                     {"kind", "PodGroup"},
                     {"metadata", std::move(metadata)},
                     {"spec", std::move(spec)}};
  const absl::Status created =
      kube::CallJson(transport, kube::HttpMethod::kPost, GroupsIn(group.namespace_), body.dump())
          .status();
  const bool exists = absl::IsAborted(created);
  if (!created.ok() && !exists) return created;
  const absl::Status opened = Open(transport, group, names);
  if (exists && group.freed && opened.ok()) return MarkFreed(transport, group, names);
  return exists && absl::IsInvalidArgument(opened) ? absl::OkStatus() : opened;
}

absl::Status DeletePodGroup(kube::Transport& transport, const std::string& namespace_name,
                            const std::string& name, const std::string& uid) {
  const std::string target = GroupsIn(namespace_name) + '/' + name;
  const json patch = {{"metadata",
                       {{"uid", uid},
                        {"$deleteFromPrimitiveList/finalizers",
                         json::array({"scheduling.k8s.io/podgroup-protection"})}}}};
  const absl::Status freed = kube::PatchStrategically(transport, target, patch.dump()).status();
  if (absl::IsNotFound(freed)) return absl::OkStatus();
  if (!freed.ok()) return freed;
  const json options = {{"preconditions", {{"uid", uid}}}};
  const absl::Status deleted =
      kube::CallJson(transport, kube::HttpMethod::kDelete, target, options.dump()).status();
  return absl::IsNotFound(deleted) ? absl::OkStatus() : deleted;
}

PodGroupReader::PodGroupReader(kube::Transport* transport, const model::GangNames& names)
    : transport_(transport), freed_(names.freed), label_(names.gate + "=true") {}

absl::Status PodGroupReader::List(const std::function<void(const kube::JsonValue& item)>& take) {
  const std::string path = std::string(kApi) + "/podgroups";
  const kube::Need need{{"scheduling.k8s.io", "podgroups", "list"}};
  kube::Api api(transport_);
  const std::string from_memory =
      kube::Target(path).With("labelSelector", label_).With("resourceVersion", "0").text();
  const absl::Status listed = api.Get(
      from_memory, need,
      [&take](const kube::JsonValue& list) { list.Field("items").ForEachItem(take); },
      kube::PageLimit::kMaxPageBytes);
  return absl::IsOutOfRange(listed) ? api.List(path, need, take, {.labels = label_}) : listed;
}

const PodGroupReader::Known& PodGroupReader::Read() {
  planner::PodGroups groups;
  const auto read = [this](const kube::JsonValue& item) {
    const kube::JsonValue metadata = item.Field("metadata");
    const kube::JsonValue annotations = metadata.Field("annotations");
    const planner::KnownPodGroup group{.uid = metadata.Field("uid").Text(),
                                       .is_open = IsOpen(item),
                                       .is_freed = annotations.Field(freed_).String() == "true"};
    std::string name = metadata.Field("namespace").Text() + '/' + metadata.Field("name").Text();
    return planner::PodGroups::value_type(std::move(name), group);
  };
  const auto take = [&](const kube::JsonValue& item) {
    auto group = kube::ReadAlone(item, read);
    // One that cannot be read hides no others.
    if (group.ok()) groups.insert(*std::move(group));
  };
  const absl::Status status = List(take);
  if (absl::IsCancelled(status)) return known_;
  const bool could = known_.obstacle.empty();
  known_.obstacle = status.ok() ? "" : ObstacleOf(status);
  if (status.ok()) known_.groups = std::move(groups);
  if (could && !status.ok()) {
    Log(LogLevel::kError, "cannot read PodGroups; no gang is released that waits for one",
        {{"error", std::string(status.message())}, {"hint", known_.obstacle}});
  } else if (!could && status.ok()) {
    Log(LogLevel::kInfo, "PodGroups can be read", {});
  }
  return known_;
}

}  // namespace berth::controller
