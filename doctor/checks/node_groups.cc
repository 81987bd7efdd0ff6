#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "doctor/checks/all.h"
#include "model/annotation.h"

namespace berth::doctor::checks {

namespace {

// Labels by which those that start nodes name the group that a node belongs to.
constexpr std::string_view kGroupLabels[] = {
    "karpenter.sh/nodepool",          "eks.amazonaws.com/nodegroup",
    "alpha.eksctl.io/nodegroup-name", "cloud.google.com/gke-nodepool",
    "kubernetes.azure.com/agentpool", "kops.k8s.io/instancegroup"};

// "karpenter.sh/nodepool=a100"; nothing if nobody says that the node belongs to a group.
std::optional<std::string> GroupOf(const model::Node& node) {
  for (const std::string_view label : kGroupLabels) {
    if (const auto name = model::Find(node.labels, label))
      return fmt::format("{}={}", label, *name);
  }
  return std::nullopt;
}

// The node's labels of Berth's, as kubectl writes them.
std::string BerthLabelsOf(const model::Node& node, const std::string& prefix) {
  std::string text;
  for (const auto& own : {model::kAcceleratorLabel, model::kAcceleratorMemory}) {
    const std::string name = own.Below(prefix);
    const auto value = model::Find(node.labels, name);
    if (value) text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, *value);
  }
  return text;
}

Findings CheckNodeGroups(const Facts& facts, const Rules& rules) {
  std::set<std::string> groups;
  std::set<std::string> late;
  for (const model::Node& node : *facts.nodes) {
    const auto group = GroupOf(node);
    const std::string labels = BerthLabelsOf(node, rules.config.prefix);
    if (!group || labels.empty()) continue;
    groups.insert(*group);
    if (facts.labelled_late.contains(node.name)) {
      late.insert(fmt::format("{} ({})", *group, labels));
    }
  }
  if (late.empty()) {
    return Ok(fmt::format("{} with accelerators, none of which lacks Berth's labels",
                          Counted(groups.size(), "node group")));
  }
  return Note(fmt::format("nodes of these groups got Berth's labels only after they had joined: {}",
                          Listed({late.begin(), late.end()})),
              "if an autoscaler may start such a group from zero, give the group these labels: it "
              "does not start it for pods that need them otherwise");
}

}  // namespace

Check NodeGroups() {
  return {.name = "node-groups",
          .help = "node groups give new nodes the labels that Berth writes",
          .needs = {Source::kNodes},
          .uses = {},
          .run = CheckNodeGroups};
}

}  // namespace berth::doctor::checks
