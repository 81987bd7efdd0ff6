#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "doctor/checks/all.h"
#include "model/annotation.h"
#include "policies/admission/isolation.h"

namespace berth::doctor::checks {

namespace {

policies::admission::Mode IsolationMode(const config::BerthConfiguration& config) {
  using Settings = policies::admission::PolicySettings<policies::admission::IsolationPolicy>;
  return std::get<Settings>(config.admission.judgement.policies.all).mode;
}

// The namespaces whose pods are kept off nodes with accelerators.
std::set<std::string> EnforcedNamespaces(const Facts& facts, const Rules& rules) {
  std::set<std::string> names;
  if (!facts.namespaces.ok() ||
      IsolationMode(rules.config) != policies::admission::Mode::kEnforce) {
    return names;
  }
  const std::string label = model::kAdmissionLabel.Below(rules.config.prefix);
  for (const NamespaceFacts& space : *facts.namespaces) {
    const auto mode = model::Find(space.labels, label);
    if (mode == "enforce") names.insert(space.name);
  }
  return names;
}

bool IsOfItsNode(const PodFacts& pod) { return pod.mirror || pod.owner == "DaemonSet"; }

// What pods without accelerators request in the namespaces `only`, or in all if it is empty.
model::Resources AskedFor(const Facts& facts, const Rules& rules,
                          const std::set<std::string>& only) {
  model::Resources sum;
  for (const PodFacts& pod : *facts.pods) {
    if (IsOfItsNode(pod) || AsksForDevices(pod, rules.catalog)) continue;
    if (only.empty() || only.contains(pod.namespace_name)) sum.Add(pod.requests);
  }
  return sum;
}

// What nodes without accelerators have, minus what DaemonSets request there.
model::Resources Capacity(const Facts& facts, const Rules& rules) {
  std::set<std::string> plain;
  model::Resources sum;
  for (const model::Node& node : *facts.nodes) {
    if (rules.catalog.Match(node) != model::AcceleratorCatalog::kNone) continue;
    plain.insert(node.name);
    sum.Add(node.allocatable);
  }
  for (const PodFacts& pod : *facts.pods) {
    if (!IsOfItsNode(pod) || !plain.contains(pod.node)) continue;
    for (const auto& [name, amount] : pod.requests) sum.Add(name, -amount);
  }
  return sum;
}

// "cpu 120.0 of 64.0"; empty if everything fits.
std::string Shortage(const model::Resources& asked, const model::Resources& capacity) {
  std::vector<std::string> short_of;
  for (const char* resource : {"cpu", "memory"}) {
    if (asked.Get(resource) <= capacity.Get(resource)) continue;
    const bool cpu = std::string_view(resource) == "cpu";
    const auto text = [cpu](std::int64_t amount) {
      const std::int64_t least = std::max<std::int64_t>(amount, 0);
      return cpu ? fmt::format("{:.1f}", static_cast<double>(least) / 1000)
                 : fmt::format("{:.1f} GiB", static_cast<double>(least) / (1 << 30));
    };
    short_of.push_back(fmt::format("{} {} of {}", resource, text(asked.Get(resource)),
                                   text(capacity.Get(resource))));
  }
  return Listed(short_of);
}

Findings CheckCpuCapacity(const Facts& facts, const Rules& rules) {
  const std::set<std::string> enforced = EnforcedNamespaces(facts, rules);
  const std::string shortage = Shortage(AskedFor(facts, rules, enforced), Capacity(facts, rules));
  if (shortage.empty())
    return Ok("the nodes without accelerators have room for the pods without accelerators");
  const char* advice =
      "add nodes without accelerators, or label namespaces allow-accelerator-nodes: \"true\" and "
      "annotate the pods that may stay";
  if (enforced.empty()) {
    return Note(fmt::format("if isolation were enforced everywhere, pods without accelerators "
                            "would request more than the nodes without accelerators have: {}",
                            shortage),
                advice);
  }
  return Problem(fmt::format("isolation is enforced in {}, and its pods without accelerators "
                             "request more than the nodes without accelerators have: {}",
                             Counted(enforced.size(), "namespace"), shortage),
                 advice);
}

}  // namespace

Check CpuCapacity() {
  return {.name = "cpu-capacity",
          .help = "there is room for pods without accelerators on nodes without accelerators",
          .needs = {Source::kNodes, Source::kPods},
          .uses = {Source::kNamespaces},
          .run = CheckCpuCapacity};
}

}  // namespace berth::doctor::checks
