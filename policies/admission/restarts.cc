#include "policies/admission/restarts.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "policies/admission/grouped_remarks.h"

namespace berth::policies::admission {

using model::Container;

namespace {

constexpr std::string_view kNever = "Never";
constexpr std::string_view kNotRequired = "NotRequired";
constexpr std::string_view kWhy = ": the Job decides whether a failure is retried";

bool IsRestartedByItsPolicy(const Container& container) {
  return !container.sidecar && !container.restart_policy.empty() &&
         container.restart_policy != kNever;
}

// Restart has a sidecar do what it would do anyway. Any other action is about other containers.
bool IsRestartedByRules(const Container& container) {
  return std::ranges::any_of(container.restart_actions, [&](const std::string& action) {
    return !container.sidecar || action != "Restart";
  });
}

void ForbidByPod(Draft& draft, Remarks& remarks) {
  const std::string& policy = draft.pod().restart_policy;
  if (policy == kNever) return;
  remarks.Changed("restartPolicy " + policy + " set to Never" + std::string(kWhy));
  draft.SetRestartPolicy(std::string(kNever));
}

void ForbidByContainer(std::size_t i, Draft& draft, GroupedRemarks& remarks) {
  const auto container = [&draft, i]() -> const Container& { return draft.pod().containers[i]; };
  if (IsRestartedByItsPolicy(container())) {
    remarks.Add("restartPolicy of ", container().name, " set to Never" + std::string(kWhy));
    draft.SetContainerRestartPolicy(i, std::string(kNever));
  }
  if (IsRestartedByRules(container())) {
    remarks.Add("restartPolicyRules of ", container().name, " removed" + std::string(kWhy));
    draft.RemoveRestartRules(i);
  }
}

void ResizeWithoutRestart(std::size_t i, Draft& draft, GroupedRemarks& remarks) {
  const std::vector<std::string> entries = draft.pod().containers[i].resize_restarts;
  if (std::ranges::find(entries, "RestartContainer") == entries.end()) return;
  for (std::size_t entry = 0; entry < entries.size(); ++entry) {
    if (entries[entry] != "RestartContainer") continue;
    draft.SetResizeRestart(i, entry, std::string(kNotRequired));
  }
  remarks.Add("resizePolicy of ", draft.pod().containers[i].name,
              " set to NotRequired, as restartPolicy Never requires");
}

}  // namespace

void ForbidRestarts(Draft& draft, Remarks& remarks) {
  ForbidByPod(draft, remarks);
  GroupedRemarks grouped;
  for (std::size_t i = 0; i < draft.pod().containers.size(); ++i) {
    ForbidByContainer(i, draft, grouped);
    ResizeWithoutRestart(i, draft, grouped);
  }
  grouped.WriteTo(remarks);
}

std::vector<Objection> ObjectToRestarts(const model::Workload& workload) {
  const std::string spec = PodSpecField(workload);
  std::vector<Objection> objections;
  if (workload.pod.restart_policy != kNever) {
    objections.push_back(
        {spec + ".restartPolicy", "is not Never", "write Never" + std::string(kWhy)});
  }
  for (const Container& container : workload.pod.containers) {
    const std::string field = spec + "." + FieldOf(container);
    if (IsRestartedByItsPolicy(container)) {
      objections.push_back(
          {field + ".restartPolicy", "is not Never", "leave it out" + std::string(kWhy)});
    }
    if (IsRestartedByRules(container)) {
      objections.push_back({field + ".restartPolicyRules",
                            "restart what may have run out of memory",
                            "leave them out" + std::string(kWhy)});
    }
  }
  return objections;
}

}  // namespace berth::policies::admission
