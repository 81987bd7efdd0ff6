#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>

#include "doctor/checks/all.h"
#include "model/duration.h"

namespace berth::doctor::checks {

namespace {

// Since when nodes have not been Ready, by name; without those that are.
std::map<std::string_view, model::Time> LostNodesOf(const Facts& facts) {
  std::map<std::string_view, model::Time> lost;
  for (const model::Node& node : *facts.nodes) {
    if (const auto since = model::NotReadySince(node)) lost.emplace(node.name, *since);
  }
  return lost;
}

std::string AdviceFor(const std::string& node, const Rules& rules) {
  const auto& config = rules.config.controller.lost_nodes;
  if (config.enabled()) {
    return fmt::format(
        "the controller ends those of Jobs that Berth has changed after {}, unless "
        "too many nodes are lost: look at its log, and at check rights",
        model::FormatDuration(config.force_delete_after));
  }
  return fmt::format(
      "if the node is off for good or for long, say so: kubectl taint node {} "
      "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute; Kubernetes then "
      "ends the pods, and their Jobs replace them. With "
      "controller.lostNodes.forceDeleteAfter the controller does",
      node);
}

Findings CheckLostNodes(const Facts& facts, const Rules& rules) {
  const std::map<std::string_view, model::Time> lost = LostNodesOf(facts);
  std::vector<std::string> hanging;
  std::string first;
  for (const PodFacts& pod : *facts.pods) {
    const auto node = lost.find(pod.node);
    if (pod.job.empty() || pod.deleted > facts.now || node == lost.end()) continue;
    if (hanging.empty()) first = pod.node;
    hanging.push_back(fmt::format("{} (on {}, not Ready for {})", pod.FullName(), pod.node,
                                  model::FormatDuration(facts.now - node->second)));
  }
  if (hanging.empty()) return Ok("no deleted pod of a Job hangs on a node that is not Ready");
  return Problem(fmt::format("{} of Jobs deleted, but no kubelet ends {}, and Jobs with a "
                             "podFailurePolicy wait: {}",
                             Counted(hanging.size(), "pod"), hanging.size() == 1 ? "it" : "them",
                             Listed(hanging)),
                 AdviceFor(first, rules));
}

}  // namespace

Check LostNodes() {
  return {.name = "lost-nodes",
          .help = "no pod of a Job hangs on a node that is lost",
          .needs = {Source::kPods, Source::kNodes},
          .uses = {},
          .run = CheckLostNodes};
}

}  // namespace berth::doctor::checks
