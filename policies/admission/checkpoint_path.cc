#include "policies/admission/checkpoint_path.h"

#include <algorithm>

#include "model/annotation.h"

namespace berth::policies::admission {

namespace {

constexpr std::size_t kMaxSegment = 253;
/// The digits of 2^31-1, the highest index.
constexpr std::size_t kMaxIndexDigits = 10;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsPathCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || IsDigit(c) || c == '-' || c == '_' ||
         c == '.';
}

bool IsIndex(std::string_view text) {
  return !text.empty() && text.size() <= kMaxIndexDigits && std::ranges::all_of(text, IsDigit);
}

// `name`, or an empty string if it cannot be a part of a path.
std::string Fit(const std::string& name) { return IsPathSegment(name) ? name : ""; }

std::string PathOfOwned(const model::OwnerReference& owner, const model::Workload& pod) {
  const bool generated = pod.name.empty() || !pod.generate_name.empty();
  // A StatefulSet sets a pod's name and also generateName (newStatefulSetPod in
  // k8s.io/kubernetes/pkg/controller/statefulset/stateful_set_utils.go). So generateName means a
  // generated name only for pods of a Job.
  if (model::IsJob(owner) && generated) return Fit(owner.name);
  if (Fit(owner.name).empty() || Fit(pod.name).empty()) return "";
  return owner.name + "/" + pod.name;
}

std::string PathWithoutIndex(const Request& request, const model::Workload& workload,
                             std::string_view key_annotation) {
  if (const auto key = model::Find(workload.pod.annotations, key_annotation)) {
    return Fit(std::string(*key));
  }
  const bool has_owner = workload.is_pod() && !request.controller.empty();
  const model::OwnerReference* owner = has_owner ? ControllingOwner(workload) : nullptr;
  return owner == nullptr ? Fit(workload.name) : PathOfOwned(*owner, workload);
}

}  // namespace

bool IsPathSegment(std::string_view text) {
  return !text.empty() && text.size() <= kMaxSegment && text != "." &&
         text.find("..") == std::string_view::npos && std::ranges::all_of(text, IsPathCharacter);
}

std::string CheckpointPath(const Request& request, const model::Workload& workload,
                           std::string_view key_annotation) {
  std::string path = PathWithoutIndex(request, workload, key_annotation);
  const auto index = model::Find(workload.pod.annotations, model::kJobCompletionIndex);
  if (path.empty() || !index || !IsIndex(*index)) return path;
  return path + "/" + std::string(*index);
}

}  // namespace berth::policies::admission
