#include <fmt/format.h>

#include "doctor/checks/all.h"

namespace berth::doctor::checks {

namespace {

using model::AcceleratorCatalog;

// The nodes that a later entry recognises, too: "n1 (A100 and A30)".
std::vector<std::string> RecognisedTwice(const std::vector<model::Node>& nodes,
                                         const AcceleratorCatalog& catalog) {
  std::vector<std::string> twice;
  for (const model::Node& node : nodes) {
    const auto entry = catalog.Match(node);
    if (entry == AcceleratorCatalog::kNone) continue;
    const auto hidden = catalog.HiddenBy(entry, node);
    if (hidden == AcceleratorCatalog::kNone) continue;
    twice.push_back(
        fmt::format("{} ({} and {})", node.name, catalog[entry].name, catalog[hidden].name));
  }
  return twice;
}

// The nodes with devices that no entry recognises: "n1 (nvidia.com/gpu)".
std::vector<std::string> Unrecognised(const std::vector<model::Node>& nodes,
                                      const AcceleratorCatalog& catalog) {
  std::vector<std::string> unrecognised;
  for (const model::Node& node : nodes) {
    if (catalog.Match(node) != AcceleratorCatalog::kNone) continue;
    for (const std::string& resource : catalog.resources()) {
      if (node.capacity.Get(resource) == 0) continue;
      unrecognised.push_back(fmt::format("{} ({})", node.name, resource));
    }
  }
  return unrecognised;
}

Findings CheckCatalogue(const Facts& facts, const Rules& rules) {
  Findings found;
  const std::vector<std::string> twice = RecognisedTwice(*facts.nodes, rules.catalog);
  if (!twice.empty()) {
    Append(
        Warning(fmt::format("{} matched by two entries of the catalogue; the first one counts: {}",
                            Counted(twice.size(), "node"), Listed(twice)),
                "change the expressions under accelerators[].nodes so that only one entry matches"),
        found);
  }
  const std::vector<std::string> unrecognised = Unrecognised(*facts.nodes, rules.catalog);
  if (!unrecognised.empty()) {
    Append(
        Warning(
            fmt::format(
                "devices that no entry of the catalogue matches, so no pod may use them: {}",
                Listed(unrecognised)),
            "add an entry under accelerators, or give the nodes the labels that an entry expects"),
        found);
  }
  if (!found.empty()) return found;
  return Ok("every accelerator node matches exactly one entry of the catalogue");
}

}  // namespace

Check Catalogue() {
  return {.name = "catalogue",
          .help = "every node with accelerators matches exactly one entry of the catalogue",
          .needs = {Source::kNodes},
          .uses = {},
          .run = CheckCatalogue};
}

}  // namespace berth::doctor::checks
