#include <fmt/format.h>

#include <map>

#include "doctor/checks/all.h"

namespace berth::doctor::checks {
namespace {

// When kubelet restarts, it checks the required node affinity of its pods again, and fails pods
// whose affinity the node no longer meets.
Findings CheckAffinity(const Facts& facts, const Rules&) {
  std::map<std::string_view, const model::Node*> nodes;
  for (const model::Node& node : *facts.nodes) nodes.emplace(node.name, &node);
  std::vector<std::string> unmet;
  for (const PodFacts& pod : *facts.pods) {
    const auto node = nodes.find(pod.node);
    if (pod.needs == nullptr || node == nodes.end()) continue;
    if (!model::Meets(*pod.needs, node->second->labels, pod.node)) {
      unmet.push_back(fmt::format("{} (on {})", pod.FullName(), pod.node));
    }
  }
  if (unmet.empty()) return Ok("the node of every running pod matches its affinity");
  return Warning(fmt::format("{} whose node no longer matches its node selector or affinity; "
                             "kubelet fails it when kubelet restarts: {}",
                             Counted(unmet.size(), "pod"), Listed(unmet)),
                 "move them before the kubelets restart, or restore the labels of the nodes");
}

}  // namespace

Check Affinity() {
  return {.name = "affinity",
          .help = "running pods still match their own node affinity",
          .needs = {Source::kPods, Source::kNodes},
          .uses = {},
          .run = CheckAffinity};
}

}  // namespace berth::doctor::checks
