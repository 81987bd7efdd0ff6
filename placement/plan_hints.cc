#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "model/annotation.h"
#include "placement/explanation.h"
#include "planner/state.h"
#include "planner/step.h"
#include "policies/fit/fit.h"

namespace berth::placement {

namespace {

// What the planner does not know, by policies::fit::NameOf().
std::string NeedInWords(policies::fit::Unknown need) {
  static const std::map<std::string_view, std::string_view> words = {
      {"too_large", "more than the planner keeps of a pod"},
      {"claims", "resource claims"},
      {"volumes", "a volume that may not be attached everywhere"},
      {"pod_affinity", "an affinity or anti-affinity to pods"},
      {"spread", "a topology spread constraint that must hold"},
      {"node_features", "features that only some nodes have"}};
  const std::string_view name = policies::fit::NameOf(need);
  const auto found = words.find(name);
  return std::string(found == words.end() ? name : found->second);
}

// Why the planner has nominated a node, by the annotation that says what for.
std::string_view PurposeInWords(std::string_view purpose) {
  static const std::map<std::string_view, std::string_view> words = {
      {planner::kForRescue, " (rescue: kube-scheduler had refused the pod, and this node fitted)"},
      {planner::kForEviction,
       " (eviction: no node fitted, but evicting pods of lower priority from this one would help)"},
      {planner::kForBacklog, " (backlog: many other pods waited before this one)"},
      {planner::kForGang, " (gang: nodes are nominated for all of its pods)"}};
  const auto found = words.find(purpose);
  return found == words.end() ? "" : found->second;
}

std::string Nominated(const model::Pod& pod, const std::string& prefix) {
  const auto read = [&](model::OwnName name) {
    return model::Find(pod.annotations, name.Below(prefix)).value_or("");
  };
  const bool ours = read(model::kPlanAnnotation) == pod.nominated_node;
  return fmt::format("{} is nominated by {}: kube-scheduler tries that node first{}",
                     pod.nominated_node, ours ? "Berth's planner" : "somebody else",
                     ours ? PurposeInWords(read(model::kPlanForAnnotation)) : "");
}

// A pod without a nomination: what the planner makes of it, in the words of the metric
// berth_planner_pods, and why.
struct Unplanned {
  std::string state;
  std::string why;
};

Unplanned Of(planner::State state, std::string why) {
  return {std::string(NameOf(state)), std::move(why)};
}

Unplanned LeftToScan(policies::fit::Unknown need) {
  return {fmt::format("{}, {}", NameOf(planner::State::kLeftToScan), policies::fit::NameOf(need)),
          fmt::format("it needs {}. kube-scheduler alone looks for a node, on samples",
                      NeedInWords(need))};
}

// kube-scheduler has refused it. It clears nominations and leaves the annotation, so `planned` is
// the last node that it did not take; empty if there is none.
Unplanned Refused(std::string_view planned, const Explanation& explanation) {
  const std::string_view no_node = NameOf(planner::State::kNoNode);
  if (explanation.fitting == 0) return {std::string(no_node), "no node fits it"};
  if (planned.empty()) {
    return {std::string(no_node),
            "kube-scheduler has refused it, and the planner found no node that fits and has room; "
            "when there is one, it follows within a second"};
  }
  return {fmt::format("{} or {}", NameOf(planner::State::kBackingOff), no_node),
          fmt::format("kube-scheduler did not take {}, which the planner had nominated. It looks "
                      "again after 10 s to 5 min, at other nodes first",
                      planned)};
}

// kube-scheduler has not tried it.
Unplanned Untried(const planner::PlannerConfig& planner) {
  std::string why =
      "kube-scheduler has not tried it. The planner looks for a node once it was refused";
  if (!planner.backlog.enabled) return Of(planner::State::kHead, std::move(why));
  why += fmt::format(", or while {} others wait before it", planner.backlog.pods);
  return {fmt::format("{} or {}", NameOf(planner::State::kHead), NameOf(planner::State::kQueued)),
          std::move(why)};
}

// In the order of planner::Planner.
Unplanned WhyUnplanned(const model::Pod& pod, const planner::PlannerConfig& planner,
                       const std::string& prefix, const Explanation& explanation) {
  using planner::State;
  // The planner counts a pod that waits for its PodGroup among the gated ones, too.
  const std::string_view held = model::WhyGangIsHeld(pod);
  if (!held.empty()) return Of(State::kGated, std::string(held));
  if (pod.gated) return Of(State::kGated, "it has scheduling gates");
  if (pod.deleted != model::kNoTime) return Of(State::kDeleted, "somebody has deleted it");
  if (std::ranges::find(planner.schedulers, pod.scheduler) == planner.schedulers.end()) {
    return Of(State::kOtherScheduler,
              fmt::format("its scheduler {} is not in planner.schedulers", pod.scheduler));
  }
  const policies::fit::Unknown need = policies::fit::UnknownNeed(pod);
  if (need != policies::fit::Unknown::kNone) return LeftToScan(need);
  if (pod.unschedulable.empty()) return Untried(planner);
  const auto planned = model::Find(pod.annotations, model::kPlanAnnotation.Below(prefix));
  return Refused(planned.value_or(""), explanation);
}

}  // namespace

void AddPlanHints(const model::Pod& pod, const planner::PlannerConfig& planner,
                  const std::string& prefix, Explanation& explanation) {
  if (explanation.requests.empty() || pod.uid.empty()) return;
  if (!pod.node_name.empty() || pod.terminated) return;
  if (!pod.nominated_node.empty()) {
    explanation.hints.push_back(Nominated(pod, prefix));
  } else if (!planner.schedulers.empty()) {
    const Unplanned unplanned = WhyUnplanned(pod, planner, prefix, explanation);
    explanation.hints.push_back(
        fmt::format("no node is planned for the pod ({}): {}", unplanned.state, unplanned.why));
  }
}

}  // namespace berth::placement
