#include <fmt/format.h>

#include <map>

#include "doctor/checks/all.h"
#include "model/saturating.h"

namespace berth::doctor::checks {

namespace {

// How the shares of all devices exceed the node: "8 x 10 cpu on a node with 64000m". Empty if they
// do not.
std::string Excess(const model::Node& node, const model::AcceleratorSpec& spec) {
  const std::int64_t devices = node.allocatable.Get(spec.resource);
  const auto exceeds = [&](std::int64_t share, const char* resource) {
    return model::SaturatingMultiply(devices, share) > node.allocatable.Get(resource);
  };
  if (spec.share.cpu && exceeds(spec.share.cpu->MilliValue(), "cpu")) {
    return fmt::format("{} x {} cpu on a node with {}m", devices, spec.share.cpu->text(),
                       node.allocatable.Get("cpu"));
  }
  if (spec.share.memory && exceeds(spec.share.memory->Value(), "memory")) {
    return fmt::format("{} x {} memory on a node with {}", devices, spec.share.memory->text(),
                       model::Quantity::OfBytes(node.allocatable.Get("memory")).text());
  }
  return "";
}

Findings CheckShares(const Facts& facts, const Rules& rules) {
  std::map<std::string, std::vector<std::string>> by_excess;
  for (const model::Node& node : *facts.nodes) {
    const auto entry = rules.catalog.Match(node);
    if (entry == model::AcceleratorCatalog::kNone) continue;
    const model::AcceleratorSpec& spec = rules.catalog[entry];
    const std::string excess = Excess(node, spec);
    if (!excess.empty()) by_excess[spec.name + ": " + excess].push_back(node.name);
  }
  if (by_excess.empty()) return Ok("the shares of all devices fit every node");
  Findings found;
  for (const auto& [excess, nodes] : by_excess) {
    Append(Warning(fmt::format("pods without limits cannot use all devices of these nodes; {}: {}",
                               excess, Listed(nodes)),
                   "set accelerators[].share to what is allocatable, minus what DaemonSets "
                   "request, divided by the number of devices"),
           found);
  }
  return found;
}

}  // namespace

Check Shares() {
  return {.name = "shares",
          .help = "the shares of all devices of a node fit the node",
          .needs = {Source::kNodes},
          .uses = {},
          .run = CheckShares};
}

}  // namespace berth::doctor::checks
