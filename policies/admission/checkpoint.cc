#include "policies/admission/checkpoint.h"

#include <algorithm>
#include <utility>

#include "model/annotation.h"
#include "model/label.h"
#include "policies/admission/checkpoint_path.h"
#include "policies/admission/wording.h"

namespace berth::policies::admission {

namespace {

/// The most bytes of a user's value that a text quotes.
constexpr std::size_t kMaxQuoted = 60;

std::string Quoted(std::string_view text) { return "'" + OneLine(text, kMaxQuoted) + "'"; }

// "/checkpoints/" and "/checkpoints" are the same place.
std::string_view WithoutEndingSlashes(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  return path;
}

// Kinds whose pods all have generated names. A configured kind may name its pods.
bool NamesNoPods(const model::Workload& workload) {
  return workload.IsKubernetes("Deployment") || workload.IsKubernetes("ReplicaSet") ||
         workload.IsKubernetes("ReplicationController");
}

}  // namespace

CheckpointPolicy::CheckpointPolicy(const PolicyContext& context, const CheckpointConfig& config)
    : config_(config),
      annotation_(model::kCheckpointAnnotation.Below(context.prefix)),
      key_annotation_(model::kCheckpointKeyAnnotation.Below(context.prefix)) {}

bool CheckpointPolicy::Mutate(const Request& request, Draft& draft, Remarks& remarks) const {
  const model::Workload& workload = draft.workload();
  NoteIfMisplaced(workload, annotation_, remarks);
  const auto claim = ClaimFor(workload.pod);
  if (!claim || !Judge(request, workload).empty()) return false;
  const std::string path = CheckpointPath(request, workload, key_annotation_);
  const Place place = PlaceAt(path, *claim, request);
  const std::string obstacle = mounts() ? Obstacle(workload.pod, place) : "";
  if (!obstacle.empty()) {
    remarks.Noted("no checkpoints: " + obstacle);
    return false;
  }
  if (!workload.is_pod()) {
    NoteForPods(workload, place, remarks);
    return false;
  }
  if (path.empty()) {
    remarks.Noted("no checkpoints: a retry gets another name; write a name into " +
                  key_annotation_);
    return false;
  }
  Give(place, draft, remarks);
  return true;
}

std::vector<Objection> CheckpointPolicy::Judge(const Request&,
                                               const model::Workload& workload) const {
  const auto claim = ClaimFor(workload.pod);
  if (!claim) return {};
  std::vector<Objection> objections;
  if (config_.target == CheckpointTarget::kClaim && !model::IsDnsSubdomain(*claim)) {
    objections.push_back(
        {.field = PodAnnotationField(workload, annotation_),
         .reason = "is " + Quoted(*claim) + ", which is not a valid name of a claim",
         .advice =
             "write \"true\" for " + config_.claim + ", or the name of a PersistentVolumeClaim"});
  }
  const auto key = model::Find(workload.pod.annotations, key_annotation_);
  if (key && !IsPathSegment(*key)) {
    objections.push_back(
        {.field = PodAnnotationField(workload, key_annotation_),
         .reason = "is " + Quoted(*key) + ", which is not a valid name of a directory",
         .advice = "write 1 to 253 letters, digits, '-', '_' or '.', without '..'"});
  }
  return objections;
}

std::optional<std::string> CheckpointPolicy::ClaimFor(const model::PodTemplate& pod) const {
  const auto text = model::Find(pod.annotations, annotation_);
  if (!text || *text == "false") return std::nullopt;
  return *text == "true" ? config_.claim : std::string(*text);
}

CheckpointPolicy::Place CheckpointPolicy::PlaceAt(const std::string& path, std::string claim,
                                                  const Request& request) const {
  const std::string uri = config_.uri + "/" + request.namespace_name + "/" + path;
  Place place{
      .claim = std::move(claim),
      .mount = {.name = std::string(kVolume), .mount_path = config_.mount_path, .sub_path = path},
      .variable = {.name = "CHECKPOINT_URI", .value = uri},
      .text = uri + " (CHECKPOINT_URI)"};
  if (mounts()) {
    place.variable = {.name = "CHECKPOINT_DIR", .value = config_.mount_path};
    place.text = "'" + path + "' of claim " + place.claim + " at " + config_.mount_path;
  }
  return place;
}

// Warnings about a controller's pods go to the controller, so this tells the author in advance.
void CheckpointPolicy::NoteForPods(const model::Workload& workload, const Place& place,
                                   Remarks& remarks) const {
  if (workload.is_job()) {
    const bool named = !place.mount.sub_path.empty();
    remarks.Noted("checkpoints of its pods, in every retry: " +
                  (named ? place.text : "in a directory with the Job's name"));
  } else if (NamesNoPods(workload) && !model::Find(workload.pod.annotations, key_annotation_)) {
    remarks.Noted("no checkpoints: its pods have generated names; write a name into " +
                  key_annotation_);
  }
}

void CheckpointPolicy::Give(const Place& place, Draft& draft, Remarks& remarks) const {
  const std::size_t before = draft.writes();
  if (mounts()) Mount(place, draft);
  SetVariable(place.variable, draft, remarks);
  if (draft.writes() > before) {
    remarks.Changed("checkpoints, in every retry: " + place.text);
  }
  RaiseGracePeriod(draft, remarks);
}

std::string CheckpointPolicy::Obstacle(const model::PodTemplate& pod, const Place& place) const {
  const model::VolumeMount& mount = place.mount;
  for (const model::Volume& volume : pod.volumes) {
    if (volume.name == kVolume && volume.claim != place.claim) {
      return "the pod has another volume " + volume.name + "; rename it";
    }
  }
  for (const model::Container& container : pod.containers) {
    if (container.init) continue;
    for (const model::VolumeMount& other : container.mounts) {
      if (other != mount && WithoutEndingSlashes(other.mount_path) == mount.mount_path) {
        return Quoted(container.name) + " has volume " + Quoted(other.name) + " at " +
               mount.mount_path + "; mount it elsewhere";
      }
    }
  }
  return "";
}

void CheckpointPolicy::Mount(const Place& place, Draft& draft) const {
  const model::PodTemplate& pod = draft.pod();
  const model::VolumeMount& mount = place.mount;
  const model::Volume volume{.name = mount.name, .claim = place.claim};
  if (std::ranges::find(pod.volumes, volume) == pod.volumes.end()) draft.AddVolume(volume);
  for (std::size_t i = 0; i < pod.containers.size(); ++i) {
    const model::Container& container = pod.containers[i];
    const bool has = std::ranges::find(container.mounts, mount) != container.mounts.end();
    if (!container.init && !has) draft.AddMount(i, mount);
  }
}

void CheckpointPolicy::SetVariable(const model::EnvVar& variable, Draft& draft,
                                   Remarks& remarks) const {
  const auto& containers = draft.pod().containers;
  bool kept = false;
  for (std::size_t i = 0; i < containers.size(); ++i) {
    if (containers[i].init) continue;
    const auto& env = containers[i].env;
    const auto own = std::ranges::find(env, variable.name, &model::EnvVar::name);
    if (own != env.end()) {
      kept = kept || *own != variable;
    } else {
      draft.AddEnv(i, variable);
    }
  }
  if (kept) {
    remarks.Noted(variable.name + " is the pod's own; checkpoints last only in " + variable.value);
  }
}

void CheckpointPolicy::RaiseGracePeriod(Draft& draft, Remarks& remarks) const {
  const std::int64_t minimum = config_.min_grace_period.count();
  if (draft.pod().termination_grace_period >= minimum) return;
  draft.SetTerminationGracePeriod(minimum);
  remarks.Changed("terminationGracePeriodSeconds raised to " + std::to_string(minimum) +
                  ", to write a checkpoint on SIGTERM");
}

}  // namespace berth::policies::admission
