#include "cli/release.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string_view>

#include "cli/terminal.h"
#include "controller/patcher.h"
#include "controller/pod_groups.h"
#include "kube/json_api.h"
#include "model/annotation.h"
#include "model/node.h"

namespace berth::cli {

namespace {

using kube::JsonValue;

// A pod behind the gate.
struct PodBehindGate {
  std::string namespace_;
  std::string name;
  std::string uid;
};

struct SeenPods {
  std::vector<PodBehindGate> gated = {};
  // PodGroups for which pods may wait, by "<namespace>/<name>".
  std::map<std::string, controller::NewPodGroup> groups = {};
  // Whether any pod belongs to the gang, with the gate or without.
  bool any = false;
  // The gangs that wait.
  std::set<std::string> others = {};
};

bool IsBehind(const JsonValue& pod, const std::string& gate) {
  bool has = false;
  const JsonValue spec = pod.Field("spec");
  spec.Field("schedulingGates").ForEachItem([&](const JsonValue& each) {
    has = has || each.Field("name").String() == gate;
  });
  return has;
}

// Whether the pod waits for the PodGroup of its gang, unless that exists.
bool IsInGroup(const JsonValue& pod, const std::string& gang) {
  const JsonValue spec = pod.Field("spec");
  const bool waits = spec.Field("nodeName").String().empty();
  const std::string_view group = spec.Field("schedulingGroup").Field("podGroupName").String();
  return waits && !group.empty() && group == model::PodGroupNameOf(gang);
}

void TakeGroup(const JsonValue& pod, SeenPods& found) {
  const JsonValue spec = pod.Field("spec");
  controller::NewPodGroup group{.namespace_ = pod.Field("metadata").Field("namespace").Text(),
                                .name = spec.Field("schedulingGroup").Field("podGroupName").Text(),
                                .priority_class = spec.Field("priorityClassName").Text(),
                                .freed = true};
  const std::string key = group.namespace_ + '/' + group.name;
  found.groups.emplace(key, std::move(group));
}

void TakeGated(const JsonValue& pod, const ReleaseRequest& request, const model::GangNames& names,
               SeenPods& found) {
  const JsonValue metadata = pod.Field("metadata");
  const model::StringMap annotations = metadata.Field("annotations").StringMap();
  // As admission and the planner read it.
  const std::string gang(model::Trim(model::Find(annotations, names.name).value_or("")));
  const bool gated = IsBehind(pod, names.gate);
  const bool grouped = IsInGroup(pod, gang);
  if (request.gang && gang != request.gang->name) {
    if ((gated || grouped) && !gang.empty()) found.others.insert(gang);
    return;
  }
  found.any = true;
  if (grouped) TakeGroup(pod, found);
  if (!gated) return;
  found.gated.push_back({metadata.Field("namespace").Text(), metadata.Field("name").Text(),
                         metadata.Field("uid").Text()});
}

absl::Status NoSuchGang(const model::NamespacedName& gang, const SeenPods& found) {
  std::string message =
      fmt::format("no pod in the namespace {} belongs to the gang {}", gang.namespace_, gang.name);
  if (!found.others.empty()) {
    // Anybody may write anything into the annotation, and a message may have several lines.
    message += Printable(fmt::format("; gangs that wait there: {}", fmt::join(found.others, ", ")));
  }
  return absl::NotFoundError(message);
}

absl::StatusOr<SeenPods> FindGated(const ReleaseRequest& request, const model::GangNames& names,
                                   kube::Transport& transport) {
  const std::string in = request.gang ? request.gang->namespace_ : "";
  const std::string path =
      in.empty() ? "/api/v1/pods" : fmt::format("/api/v1/namespaces/{}/pods", in);
  SeenPods found;
  const absl::Status listed =
      kube::Api(&transport).List(path, {{"", "pods", "list"}, in}, [&](const JsonValue& pod) {
        TakeGated(pod, request, names, found);
      });
  if (!listed.ok()) return listed;
  return found;
}

}  // namespace

absl::StatusOr<model::NamespacedName> ParseGang(const std::string& text) {
  auto gang = model::ParseNamespacedName(text);
  if (gang.ok() && model::IsGangName(gang->name)) return *std::move(gang);
  return absl::InvalidArgumentError(
      fmt::format("\"{}\" is no namespace and gang; write both, such as ml/train-7f9c2e1a", text));
}

absl::StatusOr<Released> ReleaseGangs(const ReleaseRequest& request, const model::GangNames& names,
                                      kube::Transport& transport) {
  const absl::StatusOr<SeenPods> found = FindGated(request, names, transport);
  if (!found.ok()) return found.status();
  if (request.gang && !found->any) return NoSuchGang(*request.gang, *found);
  controller::Patcher patcher(&transport);
  Released released;
  for (const PodBehindGate& pod : found->gated) {
    absl::Status status;
    if (!request.dry_run) {
      status = patcher.FreePod(pod.namespace_, pod.name, pod.uid, names);
    }
    const bool gone = absl::IsNotFound(status) || absl::IsAborted(status);
    released.emplace_back(pod.namespace_ + '/' + pod.name, gone ? absl::OkStatus() : status);
  }
  for (const auto& [key, group] : found->groups) {
    released.emplace_back("PodGroup " + key, request.dry_run
                                                 ? absl::OkStatus()
                                                 : patcher.CreatePodGroup(group, names));
  }
  return released;
}

}  // namespace berth::cli
