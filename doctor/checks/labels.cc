#include <fmt/format.h>

#include "doctor/checks.h"

namespace berth::doctor {

namespace {

// Nodes with accelerators, by what their label says.
struct Labelled {
  std::size_t right = 0;
  std::vector<std::string> missing;
  std::vector<std::string> wrong;
};

Labelled Sort(const Facts& facts, const Rules& rules, const std::string& label) {
  Labelled labelled;
  for (const model::Node& node : *facts.nodes) {
    const auto entry = rules.catalog.Match(node);
    if (entry == model::AcceleratorCatalog::kNone) continue;
    const std::string& name = rules.catalog[entry].name;
    const auto value = model::Find(node.labels, label);
    if (!value) {
      labelled.missing.push_back(fmt::format("{} ({})", node.name, name));
    } else if (*value != name) {
      labelled.wrong.push_back(fmt::format("{} ({}, labelled {})", node.name, name, *value));
    } else {
      ++labelled.right;
    }
  }
  return labelled;
}

}  // namespace

Findings CheckLabels(const Facts& facts, const Rules& rules) {
  const std::string label = rules.config.prefix + "/accelerator";
  const auto [right, missing, wrong] = Sort(facts, rules, label);
  Findings found;
  if (!missing.empty()) {
    Append(Problem(fmt::format("{} without label {}: pods without accelerators go there, and pods "
                               "that name a model do not: {}",
                               Counted(missing.size(), "accelerator node"), label, Listed(missing)),
                   "the controller sets it: look at its log, and at check rights"),
           found);
  }
  if (!wrong.empty()) {
    Append(Warning(fmt::format("{} labelled as another model: {}", Counted(wrong.size(), "node"),
                               Listed(wrong)),
                   "the controller changes the label once no pod there asks for accelerators: "
                   "drain them"),
           found);
  }
  if (!found.empty()) return found;
  return Ok(fmt::format("{} labelled", Counted(right, "accelerator node")));
}

}  // namespace berth::doctor
