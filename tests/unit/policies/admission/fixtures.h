#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/accelerator.h"
#include "model/workload.h"
#include "policies/admission/policy.h"

// Workloads as tests write them, and what a policy makes of them.
namespace berth::policies::admission {

inline constexpr std::string_view kGpu = "nvidia.com/gpu";
inline constexpr std::string_view kMnCore = "preferred.jp/mncore";

/// What PolicyContext refers to: the default catalogue and prefix.
inline const model::AcceleratorCatalog& Catalog() {
  static const auto catalog =
      model::AcceleratorCatalog::Make(model::AcceleratorCatalog::Defaults()).value();
  return catalog;
}

inline const std::string& Prefix() {
  static const std::string prefix = "berth.dev";
  return prefix;
}

inline PolicyContext Context() { return {.catalog = Catalog(), .prefix = Prefix()}; }

inline model::Quantity Q(std::string_view text) { return model::Quantity::Parse(text).value(); }

/// The same requests and limits: {{"cpu", "2"}, {"memory", "4Gi"}}.
inline model::ResourceRequirements Resources(
    const std::vector<std::pair<std::string_view, std::string_view>>& amounts) {
  model::ResourceRequirements resources;
  for (const auto& [name, amount] : amounts) {
    resources.requests.insert_or_assign(std::string(name), Q(amount));
    resources.limits.insert_or_assign(std::string(name), Q(amount));
  }
  return resources;
}

inline model::Container MakeContainer(std::string name,
                                      model::ResourceRequirements resources = {}) {
  return {.name = std::move(name), .resources = std::move(resources)};
}

/// A pod's spec of these containers; those that say `init` come first, as in Workload.
inline model::PodTemplate MakeTemplate(std::vector<model::Container> containers) {
  model::PodTemplate pod{.containers = std::move(containers)};
  std::size_t inits = 0;
  std::size_t mains = 0;
  for (model::Container& container : pod.containers) {
    container.index = container.init ? inits++ : mains++;
  }
  return pod;
}

inline model::Workload MakePod(std::vector<model::Container> containers) {
  return {.kind = "Pod", .name = "train", .pod = MakeTemplate(std::move(containers))};
}

/// A pod of one container that has no requests and limits.
inline model::Workload CpuPod() { return MakePod({MakeContainer("main")}); }

/// A pod of one container that asks for devices.
inline model::Workload GpuPod(std::string_view count = "1", std::string_view resource = kGpu) {
  return MakePod({MakeContainer("train", Resources({{resource, count}}))});
}

/// A Job, or what makes Jobs or pods, with the pods of `pod`.
inline model::Workload MakeOwner(std::string kind, model::Workload pod) {
  pod.kind = std::move(kind);
  pod.pod.restart_policy = pod.kind == "Job" || pod.kind == "CronJob" ? "Never" : "Always";
  if (pod.pod.restart_policy == "Never") pod.job.emplace();
  return pod;
}

inline model::Workload MakeJob(model::Workload pod) { return MakeOwner("Job", std::move(pod)); }

/// Sets an annotation of the pods, by its name below the prefix.
inline model::Workload Annotated(model::Workload workload, std::string_view name,
                                 std::string value) {
  workload.pod.annotations.emplace_back(Prefix() + "/" + std::string(name), std::move(value));
  model::Normalize(workload.pod.annotations);
  return workload;
}

/// Of an ordinary user, in a namespace of mode Enforce.
inline Request MakeRequest() {
  return {
      .namespace_name = "team", .user = {.name = "alice", .groups = {}}, .mode = Mode::kEnforce};
}

/// What a policy made of a workload.
struct Made {
  model::Workload workload;
  std::vector<std::string> changes;
  std::vector<std::string> notes;
  bool holds = false;
  std::size_t writes = 0;
};

inline Made Mutate(const AdmissionPolicy& policy, const model::Workload& workload,
                   const Request& request = MakeRequest()) {
  Draft draft(workload);
  Remarks remarks;
  const bool holds = policy.Mutate(request, draft, remarks);
  return {.workload = draft.workload(),
          .changes = remarks.changes(),
          .notes = remarks.notes(),
          .holds = holds,
          .writes = draft.writes()};
}

}  // namespace berth::policies::admission
