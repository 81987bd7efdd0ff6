#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "model/annotation.h"
#include "placement/explanation.h"
#include "policies/fit/fit.h"

namespace berth::placement {

namespace {

// What the planner does not know, by policies::fit::NameOf().
std::string NeedInWords(policies::fit::Unknown need) {
  static const std::map<std::string_view, std::string_view> words = {
      {"claims", "resource claims"},
      {"volumes", "a volume that may not be attached everywhere"},
      {"pod_affinity", "an affinity or anti-affinity to pods"},
      {"spread", "a topology spread constraint that must hold"},
      {"node_features", "features that only some nodes have"}};
  const std::string_view name = policies::fit::NameOf(need);
  const auto found = words.find(name);
  return std::string(found == words.end() ? name : found->second);
}

std::string Nominated(const model::Pod& pod, const std::string& prefix) {
  const auto planned = model::Find(pod.annotations, model::kPlanAnnotation.Below(prefix));
  return fmt::format("{} is nominated by {}: kube-scheduler tries that node first",
                     pod.nominated_node,
                     planned == pod.nominated_node ? "Berth's planner" : "somebody else");
}

std::string NotNominated(const model::Pod& pod, const planner::PlannerConfig& planner) {
  if (pod.gated) return "the pod has scheduling gates: no node is planned for it yet";
  if (std::ranges::find(planner.schedulers, pod.scheduler) == planner.schedulers.end()) {
    return fmt::format(
        "no node is planned for the pod: its scheduler {} is not in "
        "planner.schedulers",
        pod.scheduler);
  }
  const policies::fit::Unknown need = policies::fit::UnknownNeed(pod);
  if (need != policies::fit::Unknown::kNone) {
    return fmt::format(
        "no node is planned for the pod, because it needs {}: kube-scheduler alone "
        "looks for one, on a sample of the nodes",
        NeedInWords(need));
  }
  return fmt::format(
      "no node is planned for the pod yet: the planner looks for one when "
      "kube-scheduler has refused the pod, or {} others wait before it",
      planner.backlog.pods);
}

}  // namespace

void AddPlanHints(const model::Pod& pod, const planner::PlannerConfig& planner,
                  const std::string& prefix, Explanation& explanation) {
  if (explanation.requests.empty() || pod.uid.empty()) return;
  if (!pod.node_name.empty() || pod.terminated) return;
  if (!pod.nominated_node.empty()) {
    explanation.hints.push_back(Nominated(pod, prefix));
  } else if (!planner.schedulers.empty()) {
    explanation.hints.push_back(NotNominated(pod, planner));
  }
}

}  // namespace berth::placement
