#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/checks/all.h"
#include "model/annotation.h"
#include "model/taint.h"
#include "policies/scheduling/health.h"

namespace berth::doctor::checks {

namespace {

// The taints with these keys are tolerated by the pods of every DaemonSet, or soon over
// (AddOrUpdateDaemonPodTolerations in
// k8s.io/kubernetes/pkg/controller/daemon/util/daemonset_util.go, v1.36.3).
constexpr std::string_view kKubernetesTaints = "node.kubernetes.io/";

bool HealthIsObserved(const config::BerthConfiguration& config) {
  using Settings = policies::scheduling::PolicySettings<policies::scheduling::HealthPolicy>;
  const auto& health = std::get<Settings>(config.scheduling.policies.all);
  return health.mode == policies::scheduling::Mode::kObserve;
}

bool KeepsOff(const model::Taint& taint, const DaemonSetFacts& set, std::string_view own_key) {
  if (taint.effect == model::kPreferNoSchedule || taint.key == own_key) return false;
  if (taint.key.starts_with(kKubernetesTaints)) return false;
  return !model::IsTolerated(taint, set.tolerations);
}

// Whether the set has a pod on the node, or had one but for Berth's taint.
bool RunsOn(const DaemonSetFacts& set, const model::Node& node, std::string_view own_key) {
  return model::Meets(set.needs, node.labels, node.name) &&
         std::ranges::none_of(
             node.taints, [&](const model::Taint& taint) { return KeepsOff(taint, set, own_key); });
}

// The sets that run on a node of the catalogue and do not tolerate Berth's taint whatever its value
// is.
std::vector<std::string> IntolerantSets(const Facts& facts, const Rules& rules,
                                        const std::string& key) {
  const model::Taint taint{
      .key = key, .value = "AnyCondition", .effect = std::string(model::kNoSchedule)};
  std::vector<std::string> intolerant;
  for (const DaemonSetFacts& set : *facts.daemon_sets) {
    if (model::IsTolerated(taint, set.tolerations)) continue;
    const bool runs = std::ranges::any_of(*facts.nodes, [&](const model::Node& node) {
      return rules.catalog.Match(node) != model::AcceleratorCatalog::kNone &&
             RunsOn(set, node, key);
    });
    if (runs) intolerant.push_back(set.FullName());
  }
  return intolerant;
}

Findings JudgeLeftTaints(const Facts& facts, const std::string& key) {
  std::vector<std::string> tainted;
  for (const model::Node& node : *facts.nodes) {
    const bool has = model::FindTaint(node.taints, key, model::kNoSchedule) != nullptr;
    if (has) tainted.push_back(node.name);
  }
  if (tainted.empty()) return Ok("controller.taints is false, and no node has Berth's taint");
  return Warning(
      fmt::format("controller.taints is false, but {} the taint {}, so no pod is placed "
                  "there: {}",
                  Counted(tainted.size(), "node") + (tainted.size() == 1 ? " has" : " have"), key,
                  Listed(tainted)),
      "the controller that leads removes it within seconds: look at its log. Without a "
      "controller, run `berth untaint`");
}

Findings JudgeDaemonSets(const Facts& facts, const Rules& rules, const std::string& key) {
  if (!facts.daemon_sets.ok()) {
    return Unknown(std::string(facts.daemon_sets.status().message()),
                   "grant yourself the role that `berth doctor --rbac` prints: controller.taints "
                   "needs DaemonSets that tolerate the taint");
  }
  const std::vector<std::string> intolerant = IntolerantSets(facts, rules, key);
  if (intolerant.empty()) {
    return Note(fmt::format("every DaemonSet on nodes with accelerators tolerates {}", key),
                fmt::format("if you run Cluster Autoscaler, start it with --status-taint={}: it "
                            "may otherwise take the taint of one node for that of its whole group, "
                            "and start no nodes of the group. Berth cannot see its flags",
                            key));
  }
  return Problem(
      fmt::format("{} on nodes with accelerators and {} not tolerate the taint {}, which "
                  "controller.taints writes: {}. A rollout deletes their pods on tainted nodes and "
                  "makes no new ones; if one was the detector of the condition, its node stays "
                  "excluded",
                  Counted(intolerant.size(), "DaemonSet") +
                      (intolerant.size() == 1 ? " has pods" : " have pods"),
                  intolerant.size() == 1 ? "does" : "do", key, Listed(intolerant)),
      fmt::format("add {{key: {}, operator: Exists, effect: NoSchedule}} to the tolerations of "
                  "their templates; until then set controller.taints: false",
                  key));
}

Findings CheckTaints(const Facts& facts, const Rules& rules) {
  const std::string key = model::kExcludedTaint.Below(rules.config.prefix);
  if (!rules.config.controller.taints) return JudgeLeftTaints(facts, key);
  if (HealthIsObserved(rules.config)) {
    return Note("controller.taints has no effect while the policy health is in mode Observe",
                "set scheduling.policies.health.mode: Enforce, or controller.taints: false");
  }
  return JudgeDaemonSets(facts, rules, key);
}

}  // namespace

Check Taints() {
  return {.name = "taints",
          .help =
              "every DaemonSet on nodes with accelerators tolerates the taint that the "
              "controller writes",
          .needs = {Source::kNodes},
          .uses = {Source::kDaemonSets},
          .run = CheckTaints};
}

}  // namespace berth::doctor::checks
